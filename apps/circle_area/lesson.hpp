// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// circle_area: the area of the unit circle by throwing darts. x, y ~ U(-1, 1); area = 4 hits /
// trials, with a standard error of 1.642 / sqrt(trials): sqrt(pi * (4 - pi)).
// The lesson is where a million threads get their random numbers:
//
//   xoroshiro     a state per thread, 2^64 steps apart; the count depends on the number of streams
//   philox        no state: trial t is a function of (seed, t), whatever the number of threads
//   kokkos_pool   Kokkos's pool of generators: quick to write, but other numbers in each space
//   team_scratch  xoroshiro, with the counts added up by hand in scratch memory
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Random.hpp>
#include <cstdint>

#include "random/philox.hpp"
#include "random/xoroshiro.hpp"

namespace parallax::kernels::circle_area {

/// Indices of 64 bits: there may be 2^53 darts.
template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// Hits among the darts, thrown with next(), a random number on [0, 1] rounded to float. The rest
/// is double precision: the course's arithmetic.
// begin: xoroshiro
template <class Next>
KOKKOS_FUNCTION std::int64_t count_hits(std::int64_t darts, const Next& next) {
  std::int64_t hits = 0;
  for (std::int64_t t = 0; t < darts; ++t) {
    const double x = 2.0 * next() - 1.0;
    const double y = 2.0 * next() - 1.0;
    if (x * x + y * y < 1) ++hits;
  }
  return hits;
}
// end: xoroshiro

/// The darts of stream i, of `trials` in all. Its generator works in registers, and the state is
/// written back at the end, for the next run to go on from. The count goes to `hits`, a rank-0
/// view of 64-bit integers in memory of `Space`.
// begin: xoroshiro
template <class States>
struct Stream {
  States states;
  std::int64_t trials;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& hits) const {
    // student: begin xoroshiro
    random::Xoroshiro state = states(i);
    const auto streams = static_cast<std::int64_t>(states.extent(0));
    hits += count_hits(random::trials_of_stream(i, trials, streams),
                       [&] { return random::xoroshiro_f32(state.next()); });
    states(i) = state;
    // student: end xoroshiro
  }
};

template <class Space, class States, class Hits>
void xoroshiro(const Space& space, const States& states, std::int64_t trials, const Hits& hits) {
  Kokkos::parallel_reduce("parallax::circle_area::xoroshiro",
                          Range<Space>(space, 0, states.extent(0)), Stream<States>{states, trials},
                          hits);
}
// end: xoroshiro

/// As `xoroshiro`, with what parallel_reduce does written out: each thread of a team leaves its
/// count in scratch memory, the team adds those up in a tree, and one of them adds the sum to the
/// result. A team has 1024 streams, whatever its size.
template <class Space, class States, class Hits>
void team_scratch(const Space& space, int team_size, const States& states, std::int64_t trials,
                  const Hits& hits) {
  using Counts =
      Kokkos::View<std::int64_t*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  constexpr std::int64_t streams = 1024;
  const std::int64_t all = states.extent(0);
  const Stream<States> stream{states, trials};
  Kokkos::TeamPolicy<Space> policy(space, static_cast<int>((all + streams - 1) / streams),
                                   team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(Counts::shmem_size(team_size)));
  Kokkos::deep_copy(space, hits, 0);
  Kokkos::parallel_for(
      "parallax::circle_area::team_scratch", policy,
      KOKKOS_LAMBDA(const typename Kokkos::TeamPolicy<Space>::member_type& t) {
        const std::int64_t begin = t.league_rank() * streams;
        const Counts count(t.team_scratch(0), t.team_size());
        const int rank = t.team_rank();
        // student: begin team_scratch
        std::int64_t mine = 0;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(t, begin, Kokkos::min(begin + streams, all)),
                             [&](std::int64_t i) { stream(i, mine); });
        count(rank) = mine;
        for (int width = t.team_size(); width > 1;) {  // the upper half is added to the lower
          const int middle = (width + 1) / 2;
          t.team_barrier();
          if (rank + middle < width) count(rank) += count(rank + middle);
          width = middle;
        }
        if (rank == 0) Kokkos::atomic_add(&hits(), count(0));
        // student: end team_scratch
      });
}

/// Block b of Philox gives trials 2b and 2b + 1. A coordinate is X / 2^31 with X a 32-bit integer,
/// so that integers decide exactly: X^2 + Y^2 < 2^62.
struct Block {
  std::uint64_t seed;
  std::int64_t trials;
  KOKKOS_FUNCTION static bool inside(std::uint32_t u, std::uint32_t v) {
    const std::int64_t x = static_cast<std::int32_t>(u), y = static_cast<std::int32_t>(v);
    return static_cast<std::uint64_t>(x * x) + static_cast<std::uint64_t>(y * y) < 1ULL << 62;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t b, std::int64_t& hits) const {
    // student: begin philox
    const random::Block r = random::philox_block(seed, static_cast<std::uint64_t>(b));
    if (inside(r.word[0], r.word[1])) ++hits;
    if (2 * b + 1 < trials && inside(r.word[2], r.word[3])) ++hits;
    // student: end philox
  }
};

template <class Space, class Hits>
void philox(const Space& space, std::uint64_t seed, std::int64_t trials, const Hits& hits) {
  Kokkos::parallel_reduce("parallax::circle_area::philox", Range<Space>(space, 0, (trials + 1) / 2),
                          Block{seed, trials}, hits);
}

/// Each thread borrows a generator from the pool and gives it back.
template <class Pool>
struct Borrowed {
  Pool pool;
  std::int64_t trials, threads;
  KOKKOS_FUNCTION void operator()(std::int64_t thread, std::int64_t& hits) const {
    auto generator = pool.get_state();
    hits += count_hits(random::trials_of_stream(thread, trials, threads),
                       [&] { return generator.frand(); });
    pool.free_state(generator);
  }
};

template <class Space, class Pool, class Hits>
void kokkos_pool(const Space& space, const Pool& pool, std::int64_t trials, std::int64_t threads,
                 const Hits& hits) {
  Kokkos::parallel_reduce("parallax::circle_area::kokkos_pool", Range<Space>(space, 0, threads),
                          Borrowed<Pool>{pool, trials, threads}, hits);
}

}  // namespace parallax::kernels::circle_area
