// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// mandelbrot: z <- z^2 + c from z = c for every pixel's c; a pixel is the index (from 0) of the
// first iteration after which |z|^2 > 4, or max_iterations if there is none.
//
// Cost: 4 multiply-adds an iteration (and 2 operations and a comparison where the escape is
// tested), 4 bytes written a pixel. Pixels differ from 1 iteration to max_iterations: what limits a
// kernel is arithmetic, and lanes that wait for the slowest lane of their vector register or warp.
//
// Counts are equal on every backend and compiler, because each rounding is spelled out:
//   c  = low + index * step            one fma for each coordinate, step = (high - low) / (points -
//   1) x' = fma(x, x, fma(-y, y, cx))     y' = fma(x, y, fma(x, y, cy))     |z|^2 = fma(x, x, y *
//   y)
//
// Once |z| > 2 the orbit only grows (and ends as infinity or NaN), so the test may come late:
// `Block` iterations are done without tests, and where one of them escaped they are done again,
// counting.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include "kernels/tuning.hpp"

namespace parallax::kernels {

/// The rectangle of the complex plane; rows run along the imaginary axis and columns along the real
/// one, first and last at the two ends. An axis with one row or column has it at the low end.
template <class T>
struct Window {
  T real_low, real_high, imag_low, imag_high;
};

/// Evenly spaced points, both ends included.
template <class T>
struct Axis {
  T low, step;
  Axis(T first, T last, std::int64_t points)
      : low(first), step(points > 1 ? (last - first) / static_cast<T>(points - 1) : T(0)) {}
  KOKKOS_FUNCTION T operator()(std::int64_t i) const {
    return Kokkos::fma(static_cast<T>(i), step, low);
  }
};

template <class T>
KOKKOS_INLINE_FUNCTION void iterate(T& x, T& y, T cx, T cy) {
  const T next = Kokkos::fma(x, x, Kokkos::fma(-y, y, cx));
  y = Kokkos::fma(x, y, Kokkos::fma(x, y, cy));
  x = next;
}

/// True while |z|^2 <= 4; false beyond, and for the NaN of an orbit that overflowed.
template <class T>
KOKKOS_INLINE_FUNCTION bool inside(T x, T y) {
  return Kokkos::fma(x, x, y * y) <= T(4);
}

/// `Steps` iterations in a row, unrolled by recursion: a loop left inside the loop over lanes would
/// keep the compiler from vectorising that one.
template <int Steps, class T>
KOKKOS_INLINE_FUNCTION void iterate_steps(T& x, T& y, T cx, T cy) {
  iterate(x, y, cx, cy);
  if constexpr (Steps > 1) iterate_steps<Steps - 1>(x, y, cx, cy);
}

/// The same with a test after each: `kept` grows by the number of iterations after which z is
/// inside.
template <int Steps, class T, class Count>
KOKKOS_INLINE_FUNCTION void tested_steps(T& x, T& y, T cx, T cy, Count& kept) {
  iterate(x, y, cx, cy);
  kept += inside(x, y) ? 1 : 0;
  if constexpr (Steps > 1) tested_steps<Steps - 1>(x, y, cx, cy, kept);
}

/// `Steps` tested iterations of every lane. Returns the number of lanes inside at the end.
template <int Steps, int Lanes, class T, class Count>
KOKKOS_INLINE_FUNCTION int tested_block(const T* cx, const T* cy, T* x, T* y, Count* count) {
  Count alive = 0;
  for (int l = 0; l < Lanes; ++l) {
    T u = x[l], v = y[l];
    Count kept = count[l];
    tested_steps<Steps>(u, v, cx[l], cy[l], kept);
    x[l] = u;
    y[l] = v;
    count[l] = kept;
    alive += inside(u, v) ? 1 : 0;
  }
  return static_cast<int>(alive);
}

/// The pixels of `Lanes` points at once. Loops over lanes are what a host compiler vectorises
/// (counts are as wide as T for that); with one lane this is the plain loop of a GPU thread.
template <int Lanes, int Block, class T>
KOKKOS_FUNCTION void escape_times(const T* cx, const T* cy, int max_iterations, int* result) {
  using Count = std::conditional_t<Lanes == 1 || sizeof(T) == 4, std::int32_t, std::int64_t>;
  T x[Lanes], y[Lanes], ahead_x[Lanes], ahead_y[Lanes];
  Count count[Lanes];
  for (int l = 0; l < Lanes; ++l) {
    x[l] = cx[l];
    y[l] = cy[l];
    count[l] = 0;
  }
  int alive = Lanes, done = 0;
  for (; done + Block <= max_iterations && alive > 0; done += Block) {
    Count still = 0;
    for (int l = 0; l < Lanes; ++l) {
      T u = x[l], v = y[l];
      iterate_steps<Block>(u, v, cx[l], cy[l]);
      ahead_x[l] = u;
      ahead_y[l] = v;
      still += inside(u, v) ? 1 : 0;
    }
    if (static_cast<int>(still) == alive) {  // nobody left during the block: take it
      for (int l = 0; l < Lanes; ++l) {
        x[l] = ahead_x[l];
        y[l] = ahead_y[l];
        count[l] += inside(x[l], y[l]) ? Block : 0;
      }
    } else {  // somebody did: the same iterations again, now counting
      alive = tested_block<Block, Lanes>(cx, cy, x, y, count);
    }
  }
  for (; done < max_iterations && alive > 0; ++done)
    alive = tested_block<1, Lanes>(cx, cy, x, y, count);
  for (int l = 0; l < Lanes; ++l) result[l] = static_cast<int>(count[l]);
}

/// Where `pixels` is contiguous: along rows of the picture (LayoutRight) or along its columns
/// (LayoutLeft, the default of GPUs). A line is a contiguous row or column; neighbouring lanes and
/// threads walk along it.
template <class Pixels>
struct Lines {
  static constexpr bool are_columns =
      std::is_same_v<typename Pixels::array_layout, Kokkos::LayoutLeft>;
  using T = typename Pixels::non_const_value_type;
  Pixels pixels;
  int count, length;
  explicit Lines(const Pixels& p)
      : pixels(p),
        count(p.extent_int(are_columns ? 1 : 0)),
        length(p.extent_int(are_columns ? 0 : 1)) {}
  KOKKOS_FUNCTION static int row(int line, int place) { return are_columns ? place : line; }
  KOKKOS_FUNCTION static int column(int line, int place) { return are_columns ? line : place; }
};

/// Computes and writes `Lanes` pixels of one line from `first`; those beyond the line's end are not
/// written.
template <int Lanes, int Block, class T, class Pixels>
KOKKOS_FUNCTION void write_strip(const Axis<T>& real, const Axis<T>& imag, int max_iterations,
                                 const Lines<Pixels>& lines, int line, int first) {
  T cx[Lanes], cy[Lanes];
  int count[Lanes];
  for (int l = 0; l < Lanes; ++l) {
    cx[l] = real(lines.column(line, first + l));
    cy[l] = imag(lines.row(line, first + l));
  }
  escape_times<Lanes, Block>(cx, cy, max_iterations, count);
  if (first + Lanes <= lines.length) {
    for (int l = 0; l < Lanes; ++l)
      lines.pixels(lines.row(line, first + l), lines.column(line, first + l)) = count[l];
  } else {
    for (int l = 0; first + l < lines.length; ++l)
      lines.pixels(lines.row(line, first + l), lines.column(line, first + l)) = count[l];
  }
}

/// Lanes of one thread in the `team` and `simd` variants.
template <class Space, class T>
inline constexpr int mandelbrot_lanes = is_host_space<Space> ? vector_lanes<Space, T> : 1;

/// One index for every pixel. `pixels` is a rank-2 view of int32 (rows, columns), any layout, in
/// memory of `Space`. Pixels inside the set cost much more than those outside, so hosts take chunks
/// as they become free.
template <class Space, class T, class Pixels>
void mandelbrot_range(const Space& space, const Window<T>& window, int max_iterations,
                      const Pixels& pixels) {
  const Lines<Pixels> lines(pixels);
  const Axis<T> real(window.real_low, window.real_high, pixels.extent_int(1));
  const Axis<T> imag(window.imag_low, window.imag_high, pixels.extent_int(0));
  using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>,
                                     Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "parallax::mandelbrot::range",
      Policy(space, 0, std::int64_t{lines.count} * lines.length, Kokkos::ChunkSize(1024)),
      KOKKOS_LAMBDA(std::int64_t index) {
        const int line = static_cast<int>(index / lines.length);
        write_strip<1, 5>(real, imag, max_iterations, lines, line,
                          static_cast<int>(index - std::int64_t{line} * lines.length));
      });
}

/// One pair of indices for every pixel, in tiles: the division of `range` is gone.
template <class Space, class T, class Pixels>
void mandelbrot_mdrange(const Space& space, const Window<T>& window, int max_iterations,
                        const Pixels& pixels) {
  const Lines<Pixels> lines(pixels);
  const Axis<T> real(window.real_low, window.real_high, pixels.extent_int(1));
  const Axis<T> imag(window.imag_low, window.imag_high, pixels.extent_int(0));
  using Policy = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "parallax::mandelbrot::mdrange", Policy(space, {0, 0}, {pixels.extent(0), pixels.extent(1)}),
      KOKKOS_LAMBDA(int row, int column) {
        constexpr bool swap = Lines<Pixels>::are_columns;
        write_strip<1, 5>(real, imag, max_iterations, lines, swap ? column : row,
                          swap ? row : column);
      });
}

/// A team for every line of the picture, handed out dynamically: a GPU's scheduler does that with
/// any league, a host does it with Schedule<Dynamic> and chunks of one line.
template <class Space, class T, class Pixels>
void mandelbrot_team(const Space& space, const Window<T>& window, int max_iterations,
                     const Pixels& pixels) {
  const Lines<Pixels> lines(pixels);
  const Axis<T> real(window.real_low, window.real_high, pixels.extent_int(1));
  const Axis<T> imag(window.imag_low, window.imag_high, pixels.extent_int(0));
  constexpr int lanes = mandelbrot_lanes<Space, T>;
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>>;
  Policy policy(space, lines.count, row_team_size<Space>);
  policy.set_chunk_size(1);
  Kokkos::parallel_for(
      "parallax::mandelbrot::team", policy,
      KOKKOS_LAMBDA(const typename Policy::member_type& member) {
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, (lines.length + lanes - 1) / lanes),
                             [&](int strip) {
                               write_strip<lanes, 5>(real, imag, max_iterations, lines,
                                                     member.league_rank(), strip * lanes);
                             });
      });
}

/// One index for every strip of lanes: SIMD across pixels on hosts.
template <class Space, class T, class Pixels>
void mandelbrot_simd(const Space& space, const Window<T>& window, int max_iterations,
                     const Pixels& pixels) {
  const Lines<Pixels> lines(pixels);
  const Axis<T> real(window.real_low, window.real_high, pixels.extent_int(1));
  const Axis<T> imag(window.imag_low, window.imag_high, pixels.extent_int(0));
  constexpr int lanes = mandelbrot_lanes<Space, T>;
  const int strips = (lines.length + lanes - 1) / lanes;
  using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>,
                                     Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "parallax::mandelbrot::simd",
      Policy(space, 0, std::int64_t{lines.count} * strips, Kokkos::ChunkSize(64)),
      KOKKOS_LAMBDA(std::int64_t index) {
        const int line = static_cast<int>(index / strips);
        const int strip = static_cast<int>(index - std::int64_t{line} * strips);
        write_strip<lanes, 5>(real, imag, max_iterations, lines, line, strip * lanes);
      });
}

}  // namespace parallax::kernels
