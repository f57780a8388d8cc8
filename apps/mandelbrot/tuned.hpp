// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// mandelbrot, fast: fewer instructions an iteration, and several pixels side by side.
//
// Cost: 4 multiply-adds an iteration and a few tests (tuned_escape_time.hpp), 4 bytes written a
// pixel. What limits a kernel is arithmetic and the lanes that wait for the slowest lane of their
// vector register or warp; neighbouring pixels are alike, so lanes are neighbours. The variants
// differ in how pixels are handed out.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include "device/tuning.hpp"
#include "mandelbrot/lesson.hpp"
#include "mandelbrot/tuned_escape_time.hpp"

namespace parallax::kernels::mandelbrot {

/// What all variants share: the window's axes and the pixels, a rank-2 view of int32 (rows,
/// columns), seen as lines along which it is contiguous: rows (LayoutRight), or columns
/// (LayoutLeft, the default of GPUs).
template <class T, class Pixels>
struct Picture {
  static_assert(Pixels::rank() == 2, "mandelbrot writes a rank-2 view (rows, columns)");
  static constexpr bool lines_are_columns =
      std::is_same_v<typename Pixels::array_layout, Kokkos::LayoutLeft>;
  Axis<T> real, imag;
  int max_iterations, lines, length;
  Pixels pixels;

  Picture(const Window<T>& window, int iterations, const Pixels& out)
      : real(window.real_low, window.real_high, out.extent_int(1)),
        imag(window.imag_low, window.imag_high, out.extent_int(0)),
        max_iterations(iterations),
        lines(out.extent_int(lines_are_columns ? 1 : 0)),
        length(out.extent_int(lines_are_columns ? 0 : 1)),
        pixels(out) {}

  /// Computes and writes `Lanes` pixels of one line from `first`, or up to the line's end.
  template <int Lanes>
  KOKKOS_FUNCTION void write(int line, int first) const {
    Orbits<Lanes, T> orbits;
    for (int l = 0; l < Lanes; ++l) {
      orbits.cx[l] = real(lines_are_columns ? line : first + l);
      orbits.cy[l] = imag(lines_are_columns ? first + l : line);
    }
    orbits.run(max_iterations);
    for (int l = 0; l < Lanes; ++l) {
      const int row = lines_are_columns ? first + l : line,
                column = lines_are_columns ? line : first + l;
      if (first + l < length) pixels(row, column) = static_cast<std::int32_t>(orbits.count[l]);
    }
  }
};

/// One index for every pixel, counted through the picture. Pixels inside the set cost much more
/// than those outside, so hosts take chunks as they become free. (A GPU divides 64-bit integers
/// slowly: 32 bits if they do.)
template <class Space, class T, class Pixels>
void range_unrolled(const Space& space, const Window<T>& window, int max_iterations,
                    const Pixels& pixels) {
  const Picture<T, Pixels> picture(window, max_iterations, pixels);
  const std::int64_t size = std::int64_t{picture.lines} * picture.length;
  using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>,
                                     Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "parallax::mandelbrot::range_unrolled", Policy(space, 0, size, Kokkos::ChunkSize(1024)),
      KOKKOS_LAMBDA(std::int64_t index) {
        const int line = size <= UINT32_MAX
                             ? static_cast<int>(static_cast<std::uint32_t>(index) /
                                                static_cast<std::uint32_t>(picture.length))
                             : static_cast<int>(index / picture.length);
        picture.template write<1>(line,
                                  static_cast<int>(index - std::int64_t{line} * picture.length));
      });
}

/// One pair of indices for every pixel, in tiles: no division. The tile matters on a GPU, where it
/// becomes a block: tiles of 32 pixels (Kokkos's default has as few) take twice as long at 20
/// iterations, because new blocks cannot be started fast enough.
template <class Space, class T, class Pixels>
void mdrange_unrolled(const Space& space, const Window<T>& window, int max_iterations,
                      const Pixels& pixels) {
  const Picture<T, Pixels> picture(window, max_iterations, pixels);
  Kokkos::parallel_for(
      "parallax::mandelbrot::mdrange_unrolled",
      Tiles<Space>(space, {0, 0}, {pixels.extent_int(0), pixels.extent_int(1)}, {16, 16}),
      KOKKOS_LAMBDA(int row, int column) {
        constexpr bool swap = Picture<T, Pixels>::lines_are_columns;
        picture.template write<1>(swap ? column : row, swap ? row : column);
      });
}

/// A team for every line, handed out dynamically: a GPU's scheduler does that with any league, a
/// host does it with Schedule<Dynamic> and chunks of one line.
template <class Space, class T, class Pixels>
void team(const Space& space, int team_size, const Window<T>& window, int max_iterations,
          const Pixels& pixels) {
  const Picture<T, Pixels> picture(window, max_iterations, pixels);
  constexpr int lanes = vector_lanes<Space, T>;
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>>;
  Policy policy(space, picture.lines, team_size);
  policy.set_chunk_size(1);
  Kokkos::parallel_for(
      "parallax::mandelbrot::team", policy,
      KOKKOS_LAMBDA(const typename Policy::member_type& member) {
        const int strips = (picture.length + lanes - 1) / lanes;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, strips), [&](int strip) {
          picture.template write<lanes>(member.league_rank(), strip * lanes);
        });
      });
}

/// Tiles of strips, each strip a few neighbouring pixels done side by side: SIMD across pixels on a
/// host, two independent chains of multiply-adds for each thread on a GPU.
template <class Space, class T, class Pixels>
void simd(const Space& space, const Window<T>& window, int max_iterations, const Pixels& pixels) {
  const Picture<T, Pixels> picture(window, max_iterations, pixels);
  constexpr int lanes = is_host_space<Space> ? vector_lanes<Space, T> : 2;
  const int strips = (picture.length + lanes - 1) / lanes;
  using Policy =
      Kokkos::MDRangePolicy<Space, Kokkos::Rank<2, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                            Kokkos::IndexType<int>, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "parallax::mandelbrot::simd",
      Policy(space, {0, 0}, {strips, picture.lines}, {8, is_host_space<Space> ? 8 : 16}),
      KOKKOS_LAMBDA(int strip, int line) { picture.template write<lanes>(line, strip * lanes); });
}

}  // namespace parallax::kernels::mandelbrot
