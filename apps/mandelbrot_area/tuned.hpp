// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// mandelbrot_area, without waiting for the slowest dart of a warp: a lane whose dart is decided
// throws the next one at once, and all go on stepping together.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "device/tuning.hpp"
#include "mandelbrot_area/lesson.hpp"
#include "random/xoroshiro.hpp"

namespace parallax::kernels::mandelbrot_area {

/// `Lanes` darts on their way, each from its own random stream.
template <class Real, int Lanes>
struct Darts {
  Real c_re[Lanes], c_im[Lanes];                                        // the dart
  Real slow_re[Lanes], slow_im[Lanes], fast_re[Lanes], fast_im[Lanes];  // tortoise and hare
  int state[Lanes];  // 0 under way, 1 met, 2 escaped

  KOKKOS_INLINE_FUNCTION void throw_dart(int l, random::Xoroshiro& stream) {
    c_re[l] = static_cast<Real>(static_cast<double>(random::xoroshiro_f32(stream.next())) * 3 - 2);
    c_im[l] =
        static_cast<Real>(static_cast<double>(random::xoroshiro_f32(stream.next())) * 3 - 1.5);
    slow_re[l] = slow_im[l] = fast_re[l] = fast_im[l] = 0;
  }

  /// A lane without trials follows a point that is not counted, far from the cap and from overflow.
  KOKKOS_INLINE_FUNCTION void idle(int l) {
    c_re[l] = c_im[l] = Real(0.25);
    slow_re[l] = slow_im[l] = fast_re[l] = fast_im[l] = 0;
  }

  /// Every rounding is spelt out, so that all backends decide alike to the last dart.
  KOKKOS_INLINE_FUNCTION static void square_and_add(Real& re, Real& im, Real c_re, Real c_im) {
    const Real next = Kokkos::fma(re, re, Kokkos::fma(-im, im, c_re));
    im = Kokkos::fma(re + re, im, c_im);
    re = next;
  }

  /// One step of every dart; how many are decided?
  KOKKOS_INLINE_FUNCTION int step() {
    int decided = 0;
    for (int l = 0; l < Lanes; ++l) {
      square_and_add(slow_re[l], slow_im[l], c_re[l], c_im[l]);
      square_and_add(fast_re[l], fast_im[l], c_re[l], c_im[l]);
      square_and_add(fast_re[l], fast_im[l], c_re[l], c_im[l]);
      const bool met = fast_re[l] == slow_re[l] && fast_im[l] == slow_im[l];
      const bool escaped = Kokkos::fma(fast_re[l], fast_re[l], fast_im[l] * fast_im[l]) > 4;
      state[l] = escaped ? 2 : met ? 1 : 0;
    }
    // A separate loop: with the sum in the loop above, g++ 16 vectorises neither.
    for (int l = 0; l < Lanes; ++l) decided += state[l] != 0 ? 1 : 0;
    return decided;
  }
};

/// The count of the trials of `Lanes` neighbouring streams.
template <class Real, int Lanes, class States>
KOKKOS_INLINE_FUNCTION Count members_of_streams(const States& states, std::int64_t first,
                                                std::int64_t trials, std::int64_t cap) {
  const auto streams = static_cast<std::int64_t>(states.extent(0));
  Darts<Real, Lanes> darts;
  random::Xoroshiro stream[Lanes];
  std::int64_t left[Lanes], steps[Lanes];
  int under_way = 0;
  for (int l = 0; l < Lanes; ++l) {
    const bool there = first + l < streams;
    stream[l] = there ? states(first + l) : random::Xoroshiro{0, 0};
    left[l] = there ? random::trials_of_stream(first + l, trials, streams) : 0;
    steps[l] = 0;
    if (left[l] > 0) {
      darts.throw_dart(l, stream[l]);
      ++under_way;
    } else {
      darts.idle(l);
    }
  }
  Count count{0, 0};
  while (under_way > 0) {
    int decided = darts.step();
    for (int l = 0; l < Lanes; ++l) decided += ++steps[l] >= cap ? 1 : 0;
    if (decided == 0) continue;
    for (int l = 0; l < Lanes; ++l) {
      const int state = darts.state[l];
      if (state == 0 && steps[l] < cap) continue;
      if (left[l] > 0) {
        count.members += state == 2 ? 0 : 1;
        count.undecided += state == 0 ? 1 : 0;
        if (--left[l] == 0) --under_way;
      }
      steps[l] = 0;
      if (left[l] > 0) {
        darts.throw_dart(l, stream[l]);
      } else {
        darts.idle(l);
      }
    }
  }
  for (int l = 0; l < Lanes; ++l) {
    if (first + l < streams) states(first + l) = stream[l];
  }
  return count;
}

/// Takes what `floyd` takes, and throws the same darts.
template <class Real, class Space, class States, class Number>
void floyd_refill(const Space& space, const States& states, std::int64_t trials, std::int64_t cap,
                  const Number& members, const Number& undecided) {
  // Streams that one iteration follows side by side: SIMD lanes on a host, one per GPU thread.
  constexpr int lanes = is_host_space<Space> ? 16 : 1;
  const auto groups = (static_cast<std::int64_t>(states.extent(0)) + lanes - 1) / lanes;
  Kokkos::deep_copy(space, undecided, 0);
  // Groups differ in work by orders of magnitude: hosts hand them out as threads come free.
  using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>,
                                     Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_reduce(
      "parallax::mandelbrot_area::floyd_refill", Policy(space, 0, groups),
      KOKKOS_LAMBDA(std::int64_t group, std::int64_t & sum) {
        const Count count = members_of_streams<Real, lanes>(states, group * lanes, trials, cap);
        sum += count.members;
        if (count.undecided > 0) Kokkos::atomic_add(&undecided(), count.undecided);
      },
      members);
}

}  // namespace parallax::kernels::mandelbrot_area
