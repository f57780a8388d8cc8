// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// mandelbrot on several ranks: who computes which rows. Rows through the set cost most, and are
// neighbours:
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
#include <memory>
#include <utility>
#include <vector>

#include "device/tuning.hpp"
#include "exercise/api.hpp"
#include "mandelbrot/lesson.hpp"

namespace parallax::mandelbrot {

/// Some rows of a picture that has `picture_rows`: `first`, and every `stride`th after it.
struct Part {
  int picture_rows, first, stride = 1;
};

/// What a rank computes.
struct Computed {
  std::vector<int> here;            ///< the picture's row of each row of its pixels; -1: none
  std::vector<std::int64_t> times;  ///< how often it computes each row of the picture

  /// The first `count` rows of a part.
  Computed(const Part& part, int count) : times(static_cast<std::size_t>(part.picture_rows)) {
    for (int i = 0; i < count; ++i) {
      here.push_back(part.first + i * part.stride);
      ++times[static_cast<std::size_t>(here.back())];
    }
  }
  /// Each row of the picture was computed by one rank, and by that one once.
  [[nodiscard]] Verdict once() const {
    auto sums = times;
    ranks::sum(sums.data(), sums.size());
    return check::elements(
        "how often each row was computed with 1", static_cast<std::int64_t>(sums.size()),
        [&](std::int64_t row) { return sums[static_cast<std::size_t>(row)]; },
        [](std::int64_t) { return 1; }, 0.0);
  }
};

/// The body of `mdrange` for a part: the lesson's pixel, whose row is another in the picture.
template <class T, class Pixels>
struct PixelOfPart {
  kernels::mandelbrot::Pixel<T, Pixels> pixel;
  int first, stride;

  PixelOfPart(const kernels::mandelbrot::Window<T>& window, const Part& part, int max_iterations,
              const Pixels& pixels)
      : pixel(window, max_iterations, pixels), first(part.first), stride(part.stride) {
    pixel.imag = {window.imag_low, window.imag_high, part.picture_rows};
  }
  KOKKOS_FUNCTION void operator()(int row, int column) const {
    pixel.pixels(row, column) = pixel.count(first + row * stride, column);
  }
};

/// One for each row of `pixels`. One rank runs the lesson's own kernel: an offset and a
/// stride in that one cost 3 to 5 % on a host where pixels escape soon.
template <class Space, class T, class Pixels>
void mdrange_part(const Space& space, const kernels::mandelbrot::Window<T>& window,
                  const Part& part, int max_iterations, const Pixels& pixels) {
  Kokkos::parallel_for("parallax::mandelbrot::rows",
                       kernels::mandelbrot::Tiles<Space>(
                           space, {0, 0}, {pixels.extent_int(0), pixels.extent_int(1)}, {16, 16}),
                       PixelOfPart<T, Pixels>(window, part, max_iterations, pixels));
}

/// Rows of a block: on a host a tile's of `mdrange`. A GPU has far more threads to keep busy, and
/// for it a block is a launch.
template <class Space>
constexpr int block_rows = kernels::is_host_space<Space> ? 16 : 64;

/// `pixels` has room for all rows. While a device computes a block this rank asks for the next: the
/// answer costs no time, and a rank takes a block at most one block too early. A host computes
/// first and then asks.
template <class Space, class T, class Pixels>
void dynamic_blocks(const Space& space, const kernels::mandelbrot::Window<T>& window,
                    int max_iterations, const Pixels& pixels, Computed& computed) {
  std::fill(computed.here.begin(), computed.here.end(), -1);
  std::fill(computed.times.begin(), computed.times.end(), 0);
  const int rows = pixels.extent_int(0);
  const auto first_row_of_next = [] { return ranks::take_next() * block_rows<Space>; };
  for (auto next = first_row_of_next(); next < rows;) {
    const int first = static_cast<int>(next), end = std::min(first + block_rows<Space>, rows);
    mdrange_part(space, window, {rows, first}, max_iterations,
                 Kokkos::subview(pixels, std::pair(first, end), Kokkos::ALL));
    for (int row = first; row < end; ++row) {
      computed.here[static_cast<std::size_t>(row)] = row;
      ++computed.times[static_cast<std::size_t>(row)];
    }
    next = first_row_of_next();
    space.fence("parallax::mandelbrot::dynamic_blocks");
  }
}

}  // namespace parallax::mandelbrot
