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
// end tells whether anything happened, and only then is the block done again, by bisection.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace parallax::kernels::mandelbrot {

/// `Steps` iterations, unrolled by recursion. A loop or a call inside a loop over lanes would keep
/// the compiler from vectorising the outer loop, and GCC inlines only some of these calls unless it
/// is forced to.
template <int Steps, class T>
KOKKOS_FORCEINLINE_FUNCTION void iterate(T& x, T& y, T cx, T cy) {
  const T next = Kokkos::fma(x, x, Kokkos::fma(-y, y, cx));
  y = Kokkos::fma(x, y, Kokkos::fma(x, y, cy));
  x = next;
  if constexpr (Steps > 1) iterate<Steps - 1>(x, y, cx, cy);
}

/// True while |z|^2 <= 4; false beyond, and for the NaN of an orbit that overflowed.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION bool inside(T x, T y) {
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

  /// Iterates every lane up to its escape, or `max_iterations`. Most points outside the set leave
  /// within a few iterations: short blocks first. The others stay for long: long blocks after.
  KOKKOS_INLINE_FUNCTION void run(int max_iterations) {
    for (int l = 0; l < Lanes; ++l) {
      x[l] = cx[l];
      y[l] = cy[l];
      count[l] = 0;
    }
    alive = Lanes;
    int done = 0;
    const int early = max_iterations < 20 ? max_iterations : 20;
    if (blocks<4>(done, early) && blocks<16>(done, max_iterations) &&
        blocks<4>(done, max_iterations))
      blocks<1>(done, max_iterations);
  }

 private:
  /// Blocks of `Steps` iterations while there is room below `limit`. False if the orbits are
  /// finished.
  template <int Steps>
  KOKKOS_INLINE_FUNCTION bool blocks(int& done, int limit) {
    for (; done + Steps <= limit; done += Steps) {
      if (try_steps<Steps>()) continue;
      if constexpr (Lanes == 1)
        break;  // searched below, where the threads of a warp meet, not one by one
      find_escapes<Steps>();
      if (alive == 0) return false;
    }
    if constexpr (Lanes == 1) {
      if (done + Steps <= limit) find_escapes<Steps>();
      return done + Steps > limit;
    }
    return true;
  }

  /// `Steps` iterations without tests. If no lane left meanwhile, takes them; else changes nothing
  /// and returns false.
  template <int Steps>
  KOKKOS_INLINE_FUNCTION bool try_steps() {
    T ahead_x[Lanes], ahead_y[Lanes];
    Count still = 0;
    for (int l = 0; l < Lanes; ++l) {
      T u = x[l], v = y[l];
      iterate<Steps>(u, v, cx[l], cy[l]);
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

  /// The same iterations of a block in which a lane left, now finding where.
  template <int Steps>
  KOKKOS_INLINE_FUNCTION void find_escapes() {
    Count still = 0;
    for (int l = 0; l < Lanes; ++l) {
      T u = x[l], v = y[l];
      Count kept = count[l];
      bisect<Steps>(u, v, cx[l], cy[l], kept);
      if constexpr (Lanes >
                    1) {  // the last iteration of lanes that stay; outside ones remain outside
        iterate<1>(u, v, cx[l], cy[l]);
        kept += inside(u, v) ? 1 : 0;
        still += inside(u, v) ? 1 : 0;
        x[l] = u;
        y[l] = v;
      }
      count[l] = kept;
    }
    alive = static_cast<int>(still);
  }

  /// Goes on to the last iterate inside among the next `Steps - 1`, by halves: log2(Steps) tests,
  /// no branch.
  template <int Steps>
  KOKKOS_FORCEINLINE_FUNCTION static void bisect(T& u, T& v, T c, T d, Count& kept) {
    if constexpr (Steps > 1) {
      T far_u = u, far_v = v;
      iterate<Steps / 2>(far_u, far_v, c, d);
      const bool stays = inside(far_u, far_v);
      u = stays ? far_u : u;
      v = stays ? far_v : v;
      kept += stays ? Steps / 2 : 0;
      bisect<Steps / 2>(u, v, c, d, kept);
    }
  }
};

}  // namespace parallax::kernels::mandelbrot
