// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// mandelbrot_area, without waiting for the slowest dart of a warp: a lane whose dart is decided
// throws the next one at once, and all go on stepping together.
//
// A few darts take thousands of steps, and a lane that meets one falls behind the others of its
// warp. So the first kernel gives a dart 64 steps. What is undecided then, up to one in seven, goes
// to a list, and a second kernel follows these from the start. Its threads are few, so that each
// takes many of them, one after the other, and the long ones are spread evenly.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "device/tuning.hpp"
#include "mandelbrot_area/lesson.hpp"
#include "random/xoroshiro.hpp"

namespace parallax::kernels::mandelbrot_area {

/// `Lanes` darts on their way.
template <class Real, int Lanes>
struct Darts {
  Real c_re[Lanes], c_im[Lanes];                                        // the dart
  Real slow_re[Lanes], slow_im[Lanes], fast_re[Lanes], fast_im[Lanes];  // tortoise and hare
  int state[Lanes];  // 0 under way, 1 met, 2 escaped

  KOKKOS_INLINE_FUNCTION void start(int l, const Point<Real>& c) {
    c_re[l] = c.re;
    c_im[l] = c.im;
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

/// The darts of `Lanes` neighbouring random streams, a stream for each lane.
template <class Real, int Lanes, class States>
struct Streams {
  random::Xoroshiro stream[Lanes];
  std::int64_t left[Lanes];

  KOKKOS_INLINE_FUNCTION Streams(const States& states, std::int64_t first, std::int64_t trials) {
    const auto streams = static_cast<std::int64_t>(states.extent(0));
    for (int l = 0; l < Lanes; ++l) {
      const bool there = first + l < streams;
      stream[l] = there ? states(first + l) : random::Xoroshiro{0, 0};
      left[l] = there ? random::trials_of_stream(first + l, trials, streams) : 0;
    }
  }

  /// Throws lane l's next dart; false: there is none.
  KOKKOS_INLINE_FUNCTION bool next(int l, Point<Real>& c) {
    if (left[l] == 0) return false;
    --left[l];
    const double x = random::xoroshiro_f32(stream[l].next());
    const double y = random::xoroshiro_f32(stream[l].next());
    c = {static_cast<Real>(x * 3 - 2), static_cast<Real>(y * 3 - 1.5)};
    return true;
  }

  KOKKOS_INLINE_FUNCTION void save(const States& states, std::int64_t first) const {
    for (int l = 0; l < Lanes; ++l) {
      if (first + l < static_cast<std::int64_t>(states.extent(0))) states(first + l) = stream[l];
    }
  }
};

/// The darts that one kernel leaves to the next: several lists, so that not all threads wait for
/// one counter.
template <class Real, class Space>
struct Later {
  static constexpr int lists = is_host_space<Space> ? 1 : 64;
  Kokkos::View<Point<Real>**, Kokkos::LayoutRight, typename Space::memory_space> darts;
  Kokkos::View<std::int64_t* [8], Kokkos::LayoutRight, typename Space::memory_space>
      counts;          // of each list, 64 bytes apart: added, taken
  std::int64_t steps;  // that a dart gets before it is left

  /// Lists of `each` darts.
  Later(const Space& space, std::int64_t each, std::int64_t steps_before)
      : darts(Kokkos::view_alloc(space, Kokkos::WithoutInitializing,
                                 "parallax::mandelbrot_area::later"),
              lists, each),
        counts(Kokkos::view_alloc(space, "parallax::mandelbrot_area::later counts"), lists),
        steps(steps_before) {}

  /// False: the list is full.
  KOKKOS_INLINE_FUNCTION bool add(int list, const Point<Real>& c) const {
    const std::int64_t slot = Kokkos::atomic_fetch_inc(&counts(list, 0));
    if (slot >= static_cast<std::int64_t>(darts.extent(1))) return false;
    darts(list, slot) = c;
    return true;
  }
  /// False: the list is empty.
  KOKKOS_INLINE_FUNCTION bool take(int list, Point<Real>& c) const {
    const auto there = Kokkos::min(counts(list, 0), static_cast<std::int64_t>(darts.extent(1)));
    const std::int64_t slot = Kokkos::atomic_fetch_inc(&counts(list, 1));
    if (slot >= there) return false;
    c = darts(list, slot);
    return true;
  }
};

/// A `Later` for these trials: of darts in f64 14 % are undecided after 64 steps, in f32 9 %.
template <class Real, class Space>
Later<Real, Space> make_later(const Space& space, std::int64_t trials) {
  const auto most = Kokkos::min(trials / 6 + 4096, std::int64_t{1} << 24);
  return {space, most / Later<Real, Space>::lists, 64};
}

/// A dart of a list for whichever lane is free.
template <class Real, class Space>
struct Listed {
  const Later<Real, Space>& later;
  int list;
  KOKKOS_INLINE_FUNCTION bool next(int, Point<Real>& c) const { return later.take(list, c); }
};

/// Follows every dart that `source.next(lane, c)` gives, in `Lanes` lanes, and counts the members.
/// A dart that is undecided after `cap` steps goes to `undecided(c, count)`.
template <class Real, int Lanes, class Source, class Undecided>
KOKKOS_INLINE_FUNCTION Count follow_all(Source& source, std::int64_t cap,
                                        const Undecided& undecided) {
  Darts<Real, Lanes> darts;
  std::int64_t steps[Lanes];
  bool busy[Lanes];
  const auto start_next = [&](int l) {
    Point<Real> c{Real(0.25), 0};  // of an idle lane: thousands of steps, and no escape
    busy[l] = source.next(l, c);
    darts.start(l, c);
    steps[l] = 0;
  };
  int under_way = 0;
  for (int l = 0; l < Lanes; ++l) {
    start_next(l);
    under_way += busy[l] ? 1 : 0;
  }
  Count count{0, 0};
  while (under_way > 0) {
    int decided = darts.step();
    for (int l = 0; l < Lanes; ++l) decided += ++steps[l] >= cap ? 1 : 0;
    if (decided == 0) continue;
    for (int l = 0; l < Lanes; ++l) {
      const int state = darts.state[l];
      if (state == 0 && steps[l] < cap) continue;
      if (busy[l]) {
        if (state == 0) undecided(Point<Real>{darts.c_re[l], darts.c_im[l]}, count);
        if (state == 1) ++count.members;
        --under_way;
      }
      start_next(l);
      under_way += busy[l] ? 1 : 0;
    }
  }
  return count;
}

/// Takes what `floyd` takes, and throws the same darts.
template <class Real, class Space, class States, class Number>
void floyd_refill(const Space& space, const States& states, std::int64_t trials, std::int64_t cap,
                  const Later<Real, Space>& later, const Number& members, const Number& undecided) {
  // Streams that one iteration follows side by side: SIMD lanes on a host, one per GPU thread.
  constexpr int lanes = is_host_space<Space> ? 16 : 1;
  constexpr int lists = Later<Real, Space>::lists, warp = is_host_space<Space> ? 1 : 32;
  const auto groups = (static_cast<std::int64_t>(states.extent(0)) + lanes - 1) / lanes;
  const bool all = later.steps >= cap;  // nothing is left for later
  Kokkos::deep_copy(space, undecided, 0);
  if (!all) Kokkos::deep_copy(space, later.counts, 0);
  // Groups differ in work by orders of magnitude: hosts hand them out as threads come free.
  using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>,
                                     Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_reduce(
      "parallax::mandelbrot_area::floyd_refill", Policy(space, 0, groups),
      KOKKOS_LAMBDA(std::int64_t group, std::int64_t & sum) {
        const std::int64_t first = group * lanes;
        Streams<Real, lanes, States> streams(states, first, trials);
        const auto leave = [&](const Point<Real>& c, Count& count) {
          if (all) {
            ++count.members;
            ++count.undecided;
          } else if (!later.add(static_cast<int>(group / warp % lists), c)) {
            follow(c, cap, count);
          }
        };
        const Count count = follow_all<Real, lanes>(streams, Kokkos::min(cap, later.steps), leave);
        streams.save(states, first);
        sum += count.members;
        if (count.undecided > 0) Kokkos::atomic_add(&undecided(), count.undecided);
      },
      members);
  if (all) return;
  // A host's cores, or an eighth of the threads that a device runs at once, whole warps a list.
  const std::int64_t turn = std::int64_t{lists} * warp, at_once = space.concurrency();
  const std::int64_t threads = is_host_space<Space> ? at_once : (at_once / 8 / turn + 1) * turn;
  using Few =
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>, Kokkos::LaunchBounds<128>>;
  Kokkos::parallel_for(
      "parallax::mandelbrot_area::floyd_refill_later", Few(space, 0, threads),
      KOKKOS_LAMBDA(std::int64_t thread) {
        Listed<Real, Space> listed{later, static_cast<int>(thread / warp % lists)};
        const Count count =
            follow_all<Real, lanes>(listed, cap, [](const Point<Real>&, Count& mine) {
              ++mine.members;
              ++mine.undecided;
            });
        if (count.members > 0) Kokkos::atomic_add(&members(), count.members);
        if (count.undecided > 0) Kokkos::atomic_add(&undecided(), count.undecided);
      });
}

}  // namespace parallax::kernels::mandelbrot_area
