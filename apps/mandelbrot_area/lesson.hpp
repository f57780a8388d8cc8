// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// mandelbrot_area: the area of the Mandelbrot set by throwing darts at [-2, 1] x [-1.5, 1.5]; area
// = 9 hits / trials, with a standard error of 3.36 / sqrt(trials).
//
// Is c a member? Follow z = z^2 + c from 0. In finite precision an orbit that does not escape must
// come back to where it was: Floyd's tortoise takes one step, his hare two, and when they meet the
// orbit is a cycle and c a member. Most darts are decided in ten steps, a few need 10^8 (near the
// boundary cycles are long and attract slowly), so the steps are capped: a dart undecided after
// `cap` steps counts as a member, and the number of those is reported.
//
// The threads of a warp run in step: all wait until the slowest of their 32 darts is decided. No
// memory is moved; a step is three complex squares and additions, 21 flops.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "random/xoroshiro.hpp"

namespace parallax::kernels::mandelbrot_area {

/// Members, and undecided among them.
struct Count {
  std::int64_t members, undecided;
};

template <class Real>
struct Point {
  Real re, im;
};

/// z^2 + c. A compiler may or may not fuse a product and a sum into one rounding; written as fma,
/// all backends round alike and agree to the last dart.
template <class Real>
KOKKOS_INLINE_FUNCTION Point<Real> next(const Point<Real>& z, const Point<Real>& c) {
  return {Kokkos::fma(z.re, z.re, Kokkos::fma(-z.im, z.im, c.re)),
          Kokkos::fma(z.re + z.re, z.im, c.im)};
}

/// Adds one dart at c to the count.
// begin: follow
template <class Real>
KOKKOS_INLINE_FUNCTION void follow(const Point<Real>& c, std::int64_t cap, Count& count) {
  Point<Real> tortoise{0, 0}, hare{0, 0};
  for (std::int64_t step = 0; step < cap; ++step) {
    tortoise = next(tortoise, c);
    hare = next(next(hare, c), c);
    if (Kokkos::fma(hare.re, hare.re, hare.im * hare.im) > 4) return;  // escaped: |z| > 2
    if (hare.re == tortoise.re && hare.im == tortoise.im) {            // they met: a cycle
      ++count.members;
      return;
    }
  }
  ++count.members;
  ++count.undecided;
}
// end: follow

/// Throws the darts of stream i, one after the other. Each stream is a part of one long sequence of
/// random numbers, far from the others' parts; its state is kept for the next launch.
template <class Real, class States>
KOKKOS_FUNCTION Count throw_darts(const States& states, std::int64_t i, std::int64_t trials,
                                  std::int64_t cap) {
  random::Xoroshiro stream = states(i);
  const auto streams = static_cast<std::int64_t>(states.extent(0));
  const std::int64_t mine = random::trials_of_stream(i, trials, streams);
  Count count{0, 0};
  for (std::int64_t t = 0; t < mine; ++t) {
    const double x = random::xoroshiro_f32(stream.next());  // uniform on [0, 1]
    const double y = random::xoroshiro_f32(stream.next());
    follow(Point<Real>{static_cast<Real>(x * 3 - 2), static_cast<Real>(y * 3 - 1.5)}, cap, count);
  }
  states(i) = stream;
  return count;
}

/// This body is a struct, not a lambda: in a build for CUDA a host calls a lambda through a
/// pointer, and cannot inline it.
template <class Real, class States, class Number>
struct Floyd {
  States states;
  std::int64_t trials, cap;
  Number undecided;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& members) const {
    const Count mine = throw_darts<Real>(states, i, trials, cap);
    members += mine.members;
    if (mine.undecided > 0) Kokkos::atomic_add(&undecided(), mine.undecided);  // few have any
  }
};

/// One thread for every stream. `members` and `undecided` are views of one std::int64_t; `states`
/// comes from random::make_xoroshiro_states, and is advanced by two numbers a dart.
template <class Real, class Space, class States, class Number>
void floyd(const Space& space, const States& states, std::int64_t trials, std::int64_t cap,
           const Number& members, const Number& undecided) {
  using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  const auto streams = static_cast<std::int64_t>(states.extent(0));
  Kokkos::deep_copy(space, undecided, 0);
  Kokkos::parallel_reduce("parallax::mandelbrot_area::floyd", Range(space, 0, streams),
                          Floyd<Real, States, Number>{states, trials, cap, undecided}, members);
}

/// One thread for every stream, in teams that keep a tally in scratch: two additions to global
/// memory for each team instead of each thread, which adds once after thousands of steps. A team's
/// threads wait for their slowest.
template <class Real, class Space, class States, class Number>
void team_scratch(const Space& space, int team_size, const States& states, std::int64_t trials,
                  std::int64_t cap, const Number& members, const Number& undecided) {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Tally = Kokkos::View<Count, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  const auto streams = static_cast<std::int64_t>(states.extent(0));
  const auto teams = static_cast<int>((streams + team_size - 1) / team_size);
  Kokkos::deep_copy(space, members, 0);
  Kokkos::deep_copy(space, undecided, 0);
  Kokkos::parallel_for(
      "parallax::mandelbrot_area::team_scratch",
      Policy(space, teams, team_size).set_scratch_size(0, Kokkos::PerTeam(Tally::shmem_size())),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Tally tally(team.team_scratch(0));
        Kokkos::single(Kokkos::PerTeam(team), [&] { tally() = Count{0, 0}; });
        team.team_barrier();  // no thread adds before it is zero
        const std::int64_t i =
            std::int64_t{team.league_rank()} * team.team_size() + team.team_rank();
        if (i < streams) {  // the last team has threads to spare
          const Count mine = throw_darts<Real>(states, i, trials, cap);
          Kokkos::atomic_add(&tally().members, mine.members);
          Kokkos::atomic_add(&tally().undecided, mine.undecided);
        }
        team.team_barrier();  // no thread reads before all have added
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          Kokkos::atomic_add(&members(), tally().members);
          Kokkos::atomic_add(&undecided(), tally().undecided);
        });
      });
}

}  // namespace parallax::kernels::mandelbrot_area
