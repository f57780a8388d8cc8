// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// tree_sum: the sum of n numbers, five ways.
//
// A sum is the smallest computation whose iterations need each other. `race` ignores that and is
// wrong; `atomic` makes every iteration wait its turn; `tree` and `team_scratch` add in the shape
// of a tree, in which n - 1 additions take log2(n) steps; `reduce` leaves the tree to Kokkos.
// Floating-point addition is not associative, so each order rounds differently: compare the errors.
//
// Work: n numbers read once, n - 1 additions. The memory's read rate is the ceiling.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace parallax::kernels {

template <class In, class Out>
struct TreeSumRace {
  In a;
  Out sum;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    volatile typename Out::value_type* shared = &sum();
    *shared = *shared + a(i);
  }
};

/// WRONG ON PURPOSE: two threads read the same old sum, both add to it, and the later store erases
/// the earlier one. `volatile` makes each iteration really load and store; without it a compiler
/// may keep the sum in a register. It does not make the two one step: `atomic` does.
template <class Space, class In, class Out>
void tree_sum_race(const Space& space, const In& a, const Out& sum) {
  Kokkos::deep_copy(space, sum, 0);
  Kokkos::parallel_for(
      "parallax::tree_sum::race",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, a.extent(0)),
      TreeSumRace<In, Out>{a, sum});
}

template <class In, class Out>
struct TreeSumAtomic {
  In a;
  Out sum;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { Kokkos::atomic_add(&sum(), a(i)); }
};

/// Every addition is one indivisible step on one address: right, in an order that differs from run
/// to run, and slow, because all threads wait for that address.
template <class Space, class In, class Out>
void tree_sum_atomic(const Space& space, const In& a, const Out& sum) {
  // student: begin atomic
  Kokkos::deep_copy(space, sum, 0);
  Kokkos::parallel_for(
      "parallax::tree_sum::atomic",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, a.extent(0)),
      TreeSumAtomic<In, Out>{a, sum});
  // student: end atomic
}

/// to[i] = from[i] + from[i + half], or only from[i] where the upper half has no partner for it.
template <class From, class To>
struct TreeSumHalve {
  From from;
  To to;
  std::int64_t n, half;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to(i) = i + half < n ? from(i) + from(i + half) : from(i);
  }
};

/// The course's tree: each launch adds the upper half to the lower, and the end of a launch is the
/// barrier between two levels. `work` holds (n + 1) / 2 elements; the first launch fills it from
/// `a`, which stays as it was. In later ones an odd length leaves the middle element alone.
template <class Space, class In, class Work, class Out>
void tree_sum_tree(const Space& space, const In& a, const Work& work, const Out& sum) {
  using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  std::int64_t n = a.extent(0), half = (n + 1) / 2;
  if (n == 0) return Kokkos::deep_copy(space, sum, 0);
  Kokkos::parallel_for("parallax::tree_sum::tree::first", Range(space, 0, half),
                       TreeSumHalve<In, Work>{a, work, n, half});
  for (n = half; n > 1; n = half) {
    half = (n + 1) / 2;
    Kokkos::parallel_for("parallax::tree_sum::tree", Range(space, 0, n - half),
                         TreeSumHalve<Work, Work>{work, work, n, half});
  }
  Kokkos::deep_copy(space, sum, Kokkos::subview(work, 0));
}

// begin: team_scratch
template <class Space, class In, class Out>
struct TreeSumTeamScratch {
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;
  using Scratch = Kokkos::View<typename Out::value_type*, typename Space::scratch_memory_space,
                               Kokkos::MemoryUnmanaged>;
  static constexpr int block = 1024;  // elements of a team: 8 KiB of scratch memory at most

  In a;
  Out sum;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Scratch x(team.team_scratch(0), block);
    const std::int64_t first = std::int64_t{team.league_rank()} * block;
    const std::int64_t left = static_cast<std::int64_t>(a.extent(0)) - first;
    int n = left < block ? static_cast<int>(left) : block;
    // student: begin team_scratch
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n), [&](int i) { x(i) = a(first + i); });
    team.team_barrier();  // other threads wrote what the next loop reads
    while (n > 1) {
      const int half = (n + 1) / 2;
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n - half),
                           [&](int i) { x(i) += x(i + half); });
      team.team_barrier();  // one level of the tree ends before the next begins
      n = half;
    }
    if (team.team_rank() == 0) Kokkos::atomic_add(&sum(), x(0));
    // student: end team_scratch
  }
};
// end: team_scratch

/// The same tree inside one kernel. A team copies its block to scratch memory, which it shares, and
/// adds the block up there by halves: a barrier of a team costs far less than a launch, and no
/// level passes through main memory. One atomic addition per team is left.
template <class Space, class In, class Out>
void tree_sum_team_scratch(const Space& space, int team_size, const In& a, const Out& sum) {
  using Kernel = TreeSumTeamScratch<Space, In, Out>;
  const int teams = static_cast<int>((a.extent(0) + Kernel::block - 1) / Kernel::block);
  const auto bytes = Kokkos::PerTeam(Kernel::Scratch::shmem_size(Kernel::block));
  Kokkos::deep_copy(space, sum, 0);
  Kokkos::parallel_for(
      "parallax::tree_sum::team_scratch",
      Kokkos::TeamPolicy<Space>(space, teams, team_size).set_scratch_size(0, bytes),
      Kernel{a, sum});
}

template <class In, class Out>
struct TreeSumReduce {
  In a;
  KOKKOS_FUNCTION void operator()(std::int64_t i, typename Out::value_type& sum) const {
    sum += a(i);
  }
};

/// What one writes in practice: each thread adds to its own sum, and Kokkos joins them. The
/// result goes to a view in the space's memory, so the call does not wait for it.
template <class Space, class In, class Out>
void tree_sum_reduce(const Space& space, const In& a, const Out& sum) {
  // student: begin reduce
  Kokkos::parallel_reduce(
      "parallax::tree_sum::reduce",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, a.extent(0)),
      TreeSumReduce<In, Out>{a}, sum);
  // student: end reduce
}

}  // namespace parallax::kernels
