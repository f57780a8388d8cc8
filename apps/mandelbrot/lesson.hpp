// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// mandelbrot: z <- z^2 + c from z = c for every pixel's c; a pixel is the index (from 0) of the
// first iteration after which |z|^2 > 4, or max_iterations if there is none. The threads of a warp
// run in step and wait for their slowest; cores wait where pixels are shared out unevenly. 4 bytes
// are written per pixel. All variants give the same picture, to the last pixel, on every backend.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace parallax::kernels::mandelbrot {

/// The rectangle of the complex plane: rows run along the imaginary axis, columns along the real
/// one, first and last at the two ends. A single row or column is at the low end.
template <class T>
struct Window {
  T real_low, real_high, imag_low, imag_high;
};

/// Evenly spaced points, both ends included; one fma each: the same points on every backend.
template <class T>
struct Axis {
  T low, step;
  Axis(T first, T last, int points)
      : low(first), step(points > 1 ? (last - first) / static_cast<T>(points - 1) : T(0)) {}
  KOKKOS_FUNCTION T operator()(int i) const { return Kokkos::fma(static_cast<T>(i), step, low); }
};

/// The textbook loop: z^2 + c is (x x - y y + cx, 2 x y + cy). Written as fma, which a compiler may
/// or may not make of a product and a sum, every processor rounds alike.
// begin: mdrange
template <class T>
KOKKOS_FUNCTION std::int32_t escape_time(T cx, T cy, int max_iterations) {
  // student: begin mdrange
  T x = cx, y = cy;
  for (int k = 0; k < max_iterations; ++k) {
    const T next = Kokkos::fma(x, x, Kokkos::fma(-y, y, cx));
    y = Kokkos::fma(x, y, Kokkos::fma(x, y, cy));
    x = next;
    if (!(Kokkos::fma(x, x, y * y) <= T(4))) return k;  // not "> 4": an overflow gives NaN
  }
  // student: end mdrange
  return max_iterations;
}
// end: mdrange

/// The body for a pixel; `pixels` is a rank-2 view of int32: (rows, columns). A lambda would cost
/// the host a call through a pointer for every pixel in a build for CUDA.
template <class T, class Pixels>
struct Pixel {
  Axis<T> real, imag;
  int max_iterations;
  Pixels pixels;

  Pixel(const Window<T>& window, int iterations, const Pixels& out)
      : real(window.real_low, window.real_high, out.extent_int(1)),
        imag(window.imag_low, window.imag_high, out.extent_int(0)),
        max_iterations(iterations),
        pixels(out) {}

  // begin: mdrange
  KOKKOS_FUNCTION std::int32_t count(int row, int column) const {
    return escape_time(real(column), imag(row), max_iterations);
  }
  KOKKOS_FUNCTION void operator()(int row, int column) const {
    pixels(row, column) = count(row, column);
  }
  // end: mdrange
};

template <class T, class Pixels>
struct NumberedPixel {
  Pixel<T, Pixels> pixel;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    // student: begin range
    const std::int64_t columns = pixel.pixels.extent_int(1);
    pixel(static_cast<int>(i / columns), static_cast<int>(i % columns));
    // student: end range
  }
};

/// One index for every pixel (64 bits: a picture may have 10^12), row by row: a division gives row
/// and column. Neighbouring threads have neighbouring columns: adjacent in a host's layout. In a
/// GPU's a column is contiguous, and each thread of a warp writes to another line of memory.
template <class Space, class T, class Pixels>
void range(const Space& space, const Window<T>& window, int max_iterations, const Pixels& pixels) {
  using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for("parallax::mandelbrot::range",
                       Policy(space, 0, std::int64_t{pixels.extent_int(0)} * pixels.extent_int(1)),
                       NumberedPixel<T, Pixels>{{window, max_iterations, pixels}});
}

/// One pair of indices for every pixel, without a division. A tile of 16 x 16 is a block on a GPU,
/// and a loop on a host, which hands tiles out as threads come free. Kokkos runs first along the
/// index that is contiguous in the space's own layout.
// begin: mdrange
template <class Space>
using Tiles = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>, Kokkos::IndexType<int>,
                                    Kokkos::Schedule<Kokkos::Dynamic>>;
template <class Space, class T, class Pixels>
void mdrange(const Space& space, const Window<T>& window, int max_iterations,
             const Pixels& pixels) {
  Kokkos::parallel_for(
      "parallax::mandelbrot::mdrange",
      Tiles<Space>(space, {0, 0}, {pixels.extent_int(0), pixels.extent_int(1)}, {16, 16}),
      Pixel<T, Pixels>{window, max_iterations, pixels});
}
// end: mdrange

/// A team for every tile of 32 x 32 pixels, computed in scratch row by row as in `range`, and
/// written in the order of memory: coalesced in either layout. `mdrange` gets that for nothing, by
/// computing in the order of memory: no pixel is used twice.
template <class Space, class T, class Pixels>
void team_scratch(const Space& space, int team_size, const Window<T>& window, int max_iterations,
                  const Pixels& pixels) {
  constexpr int side = 32;
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>>;
  using Tile = Kokkos::View<std::int32_t[side][side], typename Space::scratch_memory_space,
                            Kokkos::MemoryUnmanaged>;
  const auto tiles = [](int extent) { return (extent + side - 1) / side; };
  const int down = tiles(pixels.extent_int(0)), across = tiles(pixels.extent_int(1));
  const bool columns_first = pixels.stride(1) < pixels.stride(0);  // a column's neighbour is next
  const Pixel<T, Pixels> pixel(window, max_iterations, pixels);
  Policy policy(space, down * across, team_size);
  Kokkos::parallel_for(
      "parallax::mandelbrot::team_scratch",
      policy.set_scratch_size(0, Kokkos::PerTeam(Tile::shmem_size())),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const int top = side * (team.league_rank() / across);
        const int left = side * (team.league_rank() % across);
        const int rows = Kokkos::min(top + side, pixels.extent_int(0)) - top;  // fewer at the edge
        const int columns = Kokkos::min(left + side, pixels.extent_int(1)) - left;
        const Tile tile(team.team_scratch(0));
        // student: begin team_scratch
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows * columns), [&](int i) {
          tile(i / columns, i % columns) = pixel.count(top + i / columns, left + i % columns);
        });
        team.team_barrier();  // the pixel that a thread writes is one that another thread computed
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows * columns), [&](int i) {
          const int row = columns_first ? i / columns : i % rows;
          const int column = columns_first ? i % columns : i / rows;
          pixels(top + row, left + column) = tile(row, column);
        });
        // student: end team_scratch
      });
}

}  // namespace parallax::kernels::mandelbrot
