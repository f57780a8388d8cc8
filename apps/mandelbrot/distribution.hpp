// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// mandelbrot on several ranks: who computes which rows. Rows through the set cost most, and lie
// side by side:
//
//   static       neighbouring rows, equally many on each rank by a division. One rank gets the
//                costly ones, and all wait for it
//   interleaved  rank r of R has rows r, r + R, r + 2 R, ...: each has its share of the costly
//                ones, and nothing is sent
//   dynamic      blocks of neighbouring rows, taken from a counter of all ranks by whoever is free.
//                That needs no pattern in the costs, and evens out slow ranks as well; each block
//                costs a message to rank 0 and back, and any rank may get any row
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "device/tuning.hpp"
#include "exercise/api.hpp"
#include "mandelbrot/lesson.hpp"

namespace parallax::distribution {

/// What a rank computes.
struct Computed {
  std::vector<int> here;            ///< the picture's row of each row of its pixels; -1: none
  std::vector<std::int64_t> times;  ///< how often it computes each row of the picture
};

/// Some rows of a picture that has `picture_rows`: `first`, and every `stride`th after it.
struct Rows {
  int picture_rows, first, stride = 1;
};

/// The first `count` of them.
inline Computed computed_rows(const Rows& rows, int count) {
  Computed computed{{}, std::vector<std::int64_t>(static_cast<std::size_t>(rows.picture_rows))};
  for (int i = 0; i < count; ++i) {
    computed.here.push_back(rows.first + i * rows.stride);
    ++computed.times[static_cast<std::size_t>(computed.here.back())];
  }
  return computed;
}

/// The body of `mdrange` for them: the lesson's pixel, whose row is another in the picture.
template <class T, class Pixels>
struct PixelOfRows {
  kernels::MandelbrotPixel<T, Pixels> pixel;
  int first, stride;

  PixelOfRows(const kernels::Window<T>& window, const Rows& rows, int max_iterations,
              const Pixels& pixels)
      : pixel(window, max_iterations, pixels), first(rows.first), stride(rows.stride) {
    pixel.imag = {window.imag_low, window.imag_high, rows.picture_rows};
  }
  KOKKOS_FUNCTION void operator()(int row, int column) const {
    pixel.pixels(row, column) = pixel.count(first + row * stride, column);
  }
};

/// One for each row of `pixels`. One rank runs the lesson's own kernel: an offset and a
/// stride in that one cost 3 to 5 % on a host where pixels escape soon.
template <class Space, class T, class Pixels>
void mandelbrot_rows(const Space& space, const kernels::Window<T>& window, const Rows& rows,
                     int max_iterations, const Pixels& pixels) {
  using Policy = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>, Kokkos::IndexType<int>,
                                       Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "parallax::mandelbrot::rows",
      Policy(space, {0, 0}, {pixels.extent_int(0), pixels.extent_int(1)}, {16, 16}),
      PixelOfRows<T, Pixels>(window, rows, max_iterations, pixels));
}

/// Rows of a block: on a host a tile's of `mdrange`. A GPU has far more threads to keep busy, and
/// for it a block is a launch.
template <class Space>
constexpr int block_rows = kernels::is_host_space<Space> ? 16 : 64;

/// `pixels` has room for all rows. While a device computes a block this rank asks for the next: the
/// answer costs no time, and a rank takes a block at most one block too early. A host computes
/// first and then asks.
template <class Space, class T, class Pixels>
void dynamic_blocks(const Space& space, const kernels::Window<T>& window, int max_iterations,
                    const Pixels& pixels, Computed& computed) {
  std::fill(computed.here.begin(), computed.here.end(), -1);
  std::fill(computed.times.begin(), computed.times.end(), 0);
  const int rows = pixels.extent_int(0);
  const auto first_row_of_next = [] { return ranks::take_next() * block_rows<Space>; };
  for (auto next = first_row_of_next(); next < rows;) {
    const int first = static_cast<int>(next), end = std::min(first + block_rows<Space>, rows);
    mandelbrot_rows(space, window, {rows, first}, max_iterations,
                    Kokkos::subview(pixels, std::pair(first, end), Kokkos::ALL));
    for (int row = first; row < end; ++row) {
      computed.here[static_cast<std::size_t>(row)] = row;
      ++computed.times[static_cast<std::size_t>(row)];
    }
    next = first_row_of_next();
    space.fence("parallax::mandelbrot::dynamic_blocks");
  }
}

}  // namespace parallax::distribution
