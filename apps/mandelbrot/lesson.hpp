// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// mandelbrot: z <- z^2 + c from z = c for every pixel's c; a pixel is the index (from 0) of the
// first iteration after which |z|^2 > 4, or max_iterations if there is none.
//
// Pixels take from 1 iteration to max_iterations. The threads of a warp run in step and wait for
// the slowest of them; cores wait where pixels are shared out unevenly. Only 4 bytes are written
// per pixel. All variants give the same picture, to the last pixel, on every backend.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace parallax::kernels {

/// The rectangle of the complex plane; rows run along the imaginary axis and columns along the real
/// one, first and last at the two ends. An axis with one row or column has it at the low end.
template <class T>
struct Window {
  T real_low, real_high, imag_low, imag_high;
};

/// Evenly spaced points, both ends included; one fma each, so that every backend has the same
/// points.
template <class T>
struct Axis {
  T low, step;
  Axis(T first, T last, int points)
      : low(first), step(points > 1 ? (last - first) / static_cast<T>(points - 1) : T(0)) {}
  KOKKOS_FUNCTION T operator()(int i) const { return Kokkos::fma(static_cast<T>(i), step, low); }
};

/// The textbook loop: z^2 + c is (x x - y y + cx, 2 x y + cy). A compiler may or may not fuse a
/// product and a sum into one rounding; written as fma, every processor rounds alike.
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

/// The body for a pixel; `pixels` is a rank-2 view of int32: (rows, columns). It is a struct, not a
/// lambda: in a build for CUDA a lambda costs the host a call through a pointer for every pixel.
template <class T, class Pixels>
struct MandelbrotPixel {
  Axis<T> real, imag;
  int max_iterations;
  Pixels pixels;

  MandelbrotPixel(const Window<T>& window, int iterations, const Pixels& out)
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
struct MandelbrotRange {
  MandelbrotPixel<T, Pixels> pixel;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    // student: begin range
    const std::int64_t columns = pixel.pixels.extent_int(1);
    pixel(static_cast<int>(i / columns), static_cast<int>(i % columns));
    // student: end range
  }
};

/// One index for every pixel, row by row: a division gives the row and the column. Neighbouring
/// threads have neighbouring columns, which lie together in a host's layout but not in a GPU's,
/// where columns are contiguous: there each thread of a warp writes to another line of memory.
template <class Space, class T, class Pixels>
void mandelbrot_range(const Space& space, const Window<T>& window, int max_iterations,
                      const Pixels& pixels) {
  using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for("parallax::mandelbrot::range",
                       Policy(space, 0, std::int64_t{pixels.extent_int(0)} * pixels.extent_int(1)),
                       MandelbrotRange<T, Pixels>{{window, max_iterations, pixels}});
}

/// One pair of indices for every pixel, in tiles of 16 x 16: a tile is a block on a GPU and a loop
/// on a host. Nothing is divided, and Kokkos runs first along the index that is contiguous in the
/// space's own layout. Tiles inside the set cost most: a host hands them out as threads come free.
// begin: mdrange
template <class Space, class T, class Pixels>
void mandelbrot_mdrange(const Space& space, const Window<T>& window, int max_iterations,
                        const Pixels& pixels) {
  using Policy = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>, Kokkos::IndexType<int>,
                                       Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "parallax::mandelbrot::mdrange",
      Policy(space, {0, 0}, {pixels.extent_int(0), pixels.extent_int(1)}, {16, 16}),
      MandelbrotPixel<T, Pixels>{window, max_iterations, pixels});
}
// end: mdrange

template <class Space, class T, class Pixels>
struct MandelbrotTeamScratch {
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>>;
  static constexpr int side = 32;
  using Tile = Kokkos::View<std::int32_t[side][side], typename Space::scratch_memory_space,
                            Kokkos::MemoryUnmanaged>;
  MandelbrotPixel<T, Pixels> pixel;

  KOKKOS_FUNCTION static int tiles(int pixels) { return (pixels + side - 1) / side; }

  KOKKOS_FUNCTION void operator()(const typename Policy::member_type& team) const {
    const Pixels& pixels = pixel.pixels;
    const int across = tiles(pixels.extent_int(1));
    const int top = side * (team.league_rank() / across);
    const int left = side * (team.league_rank() % across);
    const int rows = Kokkos::min(top + side, pixels.extent_int(0)) - top;  // fewer at the edge
    const int columns = Kokkos::min(left + side, pixels.extent_int(1)) - left;
    const bool columns_first = pixels.stride(1) < pixels.stride(0);  // a column's neighbour is next
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
  }
};

/// A team for every tile of 32 x 32 pixels, staged in scratch: computed row by row as in `range`,
/// then written in the order of memory, so that writes are coalesced in either layout. `mdrange`
/// gets that for nothing, by computing in the order of memory: no pixel is used twice.
template <class Space, class T, class Pixels>
void mandelbrot_team_scratch(const Space& space, int team_size, const Window<T>& window,
                             int max_iterations, const Pixels& pixels) {
  using Body = MandelbrotTeamScratch<Space, T, Pixels>;
  const int teams = Body::tiles(pixels.extent_int(0)) * Body::tiles(pixels.extent_int(1));
  Kokkos::parallel_for("parallax::mandelbrot::team_scratch",
                       typename Body::Policy(space, teams, team_size)
                           .set_scratch_size(0, Kokkos::PerTeam(Body::Tile::shmem_size())),
                       Body{{window, max_iterations, pixels}});
}

}  // namespace parallax::kernels
