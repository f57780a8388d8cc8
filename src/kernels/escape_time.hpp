// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// escape_time: how many iterations of z <- z^2 + c, from z = c, leave |z|^2 <= 4. The core of
// mandelbrot.
//
// Counts are equal on every backend and compiler, because each rounding is spelled out:
//   x' = fma(x, x, fma(-y, y, cx))     y' = fma(x, y, fma(x, y, cy))     |z|^2 = fma(x, x, y * y)
//
// Four multiply-adds iterate; a test costs three operations more. Once |z| > 2 the orbit only grows
// (and ends as infinity or NaN), so a block of iterations is done without tests, one test at its
// end tells whether anything happened, and only then is the block done again with a test after
// every iteration.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace parallax::kernels {

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

/// The orbits of `Lanes` points side by side. Loops over lanes are what a host compiler vectorises;
/// with one lane this is the plain code of a GPU thread. `count` is as wide as T, so that both take
/// the same vector registers.
template <int Lanes, class T>
struct Orbits {
  using Count = std::conditional_t<Lanes == 1 || sizeof(T) == 4, std::int32_t, std::int64_t>;
  T cx[Lanes], cy[Lanes], x[Lanes], y[Lanes];
  Count count[Lanes];  // iterations after which the lane was inside
  int alive;           // lanes inside

  KOKKOS_INLINE_FUNCTION void start() {
    for (int l = 0; l < Lanes; ++l) {
      x[l] = cx[l];
      y[l] = cy[l];
      count[l] = 0;
    }
    alive = Lanes;
  }

  /// Steps are unrolled by recursion: a loop left inside the loop over lanes would keep the
  /// compiler from vectorising that one.
  template <int Steps>
  KOKKOS_INLINE_FUNCTION static void iterate_lane(T& u, T& v, T c, T d) {
    iterate(u, v, c, d);
    if constexpr (Steps > 1) iterate_lane<Steps - 1>(u, v, c, d);
  }
  template <int Steps>
  KOKKOS_INLINE_FUNCTION static void test_lane(T& u, T& v, T c, T d, Count& kept) {
    iterate(u, v, c, d);
    kept += inside(u, v) ? 1 : 0;
    if constexpr (Steps > 1) test_lane<Steps - 1>(u, v, c, d, kept);
  }

  /// `Steps` iterations without tests. If no lane left meanwhile, takes them; else changes nothing
  /// and returns false.
  template <int Steps>
  KOKKOS_INLINE_FUNCTION bool try_steps() {
    T ahead_x[Lanes], ahead_y[Lanes];
    Count still = 0;
    for (int l = 0; l < Lanes; ++l) {
      T u = x[l], v = y[l];
      iterate_lane<Steps>(u, v, cx[l], cy[l]);
      ahead_x[l] = u;
      ahead_y[l] = v;
      still += inside(u, v) ? 1 : 0;
    }
    if (static_cast<int>(still) != alive) return false;
    for (int l = 0; l < Lanes; ++l) {
      x[l] = ahead_x[l];
      y[l] = ahead_y[l];
      count[l] += inside(x[l], y[l]) ? Steps : 0;
    }
    return true;
  }

  /// `Steps` iterations with a test after each.
  template <int Steps>
  KOKKOS_INLINE_FUNCTION void tested_steps() {
    Count still = 0;
    for (int l = 0; l < Lanes; ++l) {
      T u = x[l], v = y[l];
      Count kept = count[l];
      test_lane<Steps>(u, v, cx[l], cy[l], kept);
      x[l] = u;
      y[l] = v;
      count[l] = kept;
      still += inside(u, v) ? 1 : 0;
    }
    alive = static_cast<int>(still);
  }

  /// Blocks of untested iterations while there is room for them below `limit`. A block in which a
  /// lane left is done again with tests; a lane on its own stops there instead, so that the threads
  /// of a warp come to the tests together and not one after the other.
  template <int Steps, int Short>
  KOKKOS_INLINE_FUNCTION bool blocks(int& done, int limit) {
    for (; done + Steps <= limit && alive > 0; done += Steps) {
      if (try_steps<Steps>()) continue;
      if constexpr (Lanes == 1) return false;
      for (int s = 0; s < Steps; s += Short) tested_steps<Short>();
    }
    return true;
  }

  /// Iterates every lane up to its escape, or `max_iterations`. Most points outside the set leave
  /// within a few iterations: short blocks first. The others stay for long: long blocks after.
  KOKKOS_INLINE_FUNCTION void run(int max_iterations) {
    constexpr int short_block = 5, long_block = 20, early = 20;
    start();
    int done = 0;
    if (blocks<short_block, short_block>(done, max_iterations < early ? max_iterations : early))
      blocks<long_block, short_block>(done, max_iterations);
    for (; done + short_block <= max_iterations && alive > 0; done += short_block)
      tested_steps<short_block>();
    for (; done < max_iterations && alive > 0; ++done) tested_steps<1>();
  }
};

}  // namespace parallax::kernels
