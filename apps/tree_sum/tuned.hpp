// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// tree_sum: the sum of n numbers, five ways.
//
// A sum is the smallest computation whose iterations need each other. `race` ignores that and is
// wrong; `atomic` makes every iteration wait its turn; the others add in the shape of a tree, in
// which n - 1 additions take log2(n) steps. Floating-point addition is not associative, so each
// order rounds differently: compare their errors.
//
// Work: n numbers read once, n - 1 additions (`tree` moves three times as much). The memory's read
// rate is the ceiling.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "device/streaming.hpp"

namespace parallax::kernels {

/// WRONG ON PURPOSE: two workers read the same old sum, both add to it, and the later store erases
/// the earlier one. `volatile` makes each iteration really load and store, as the course's
/// interpreter did; without it a compiler may keep the sum in a register, and would be allowed to.
/// It does not make the pair of them one step: `atomic` does.
template <class Space, class In, class Out>
void tree_sum_race(const Space& space, const In& a, const Out& sum) {
  using T = typename Out::non_const_value_type;
  Kokkos::deep_copy(space, sum, T(0));
  Kokkos::parallel_for(
      "parallax::tree_sum::race",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, a.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i) {
        volatile T* shared = &sum();
        *shared = *shared + a(i);
      });
}

/// Every addition is one indivisible step on one address: right, in an order that differs from run
/// to run, and as slow as that one address is.
template <class Space, class In, class Out>
void tree_sum_atomic(const Space& space, const In& a, const Out& sum) {
  using T = typename Out::non_const_value_type;
  Kokkos::deep_copy(space, sum, T(0));
  Kokkos::parallel_for(
      "parallax::tree_sum::atomic",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, a.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i) { Kokkos::atomic_add(&sum(), a(i)); });
}

/// The course's tree: each launch adds the upper half to the lower, and the end of a launch is the
/// barrier between two levels. An odd length leaves the middle element alone, so any n works.
/// `work` holds (n + 1) / 2 elements; the first launch writes it from `a`, which stays as it was.
template <class Space, class In, class Work, class Out>
void tree_sum_tree(const Space& space, const In& a, const Work& work, const Out& sum) {
  using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;
  std::int64_t n = a.extent(0);
  std::int64_t half = (n + 1) / 2;
  Kokkos::parallel_for(
      "parallax::tree_sum::tree::first", Range(space, 0, half),
      KOKKOS_LAMBDA(std::int64_t i) { work(i) = i + half < n ? a(i) + a(i + half) : a(i); });
  for (n = half; n > 1; n = half) {
    half = (n + 1) / 2;
    Kokkos::parallel_for(
        "parallax::tree_sum::tree", Range(space, 0, n - half),
        KOKKOS_LAMBDA(std::int64_t i) { work(i) += work(i + half); });
  }
  Kokkos::parallel_for(
      "parallax::tree_sum::tree::result", Range(space, 0, 1),
      KOKKOS_LAMBDA(std::int64_t) { sum() = a.extent(0) == 0 ? 0 : work(0); });
}

/// Each thread adds up its part of the team's block in registers, then the team adds its threads'
/// sums as a tree in scratch memory, a barrier between two levels, and one atomic per team is left:
/// some thousands instead of n.
template <class Space, class In, class Out>
void tree_sum_team_tree(const Space& space, const In& a, const Out& sum) {
  using T = typename In::non_const_value_type;
  using S = Streaming<Space, T>;
  using Policy = Kokkos::TeamPolicy<Space>;
  using Scratch = Kokkos::View<T*, typename Space::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const Stream<S, T> stream(a.data(), static_cast<std::int64_t>(a.extent(0)));
  Kokkos::deep_copy(space, sum, T(0));
  Kokkos::parallel_for(
      "parallax::tree_sum::team_tree",
      Policy(space, stream.blocks(), S::team_size)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(S::team_size))),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Scratch partial(team.team_scratch(0), S::team_size);
        const int me = team.team_rank();
        partial(me) = stream.sum(team.league_rank(), me);
        const T total = add_in_scratch(team, partial);
        if (me == 0) Kokkos::atomic_add(&sum(), total);
      });
}

/// What one writes in practice: the library joins the threads' sums. The result stays in the
/// space's memory, so that nobody waits for it here.
template <class Space, class In, class Out>
void tree_sum_reduce(const Space& space, const In& a, const Out& sum) {
  using T = typename In::non_const_value_type;
  using S = Streaming<Space, T>;
  const Stream<S, T> stream(a.data(), static_cast<std::int64_t>(a.extent(0)));
  Kokkos::parallel_reduce(
      "parallax::tree_sum::reduce",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
          space, 0, std::int64_t{stream.blocks()} * S::team_size),
      KOKKOS_LAMBDA(std::int64_t i, T & total) {
        total += stream.sum(i / S::team_size, static_cast<int>(i % S::team_size));
      },
      sum);
}

}  // namespace parallax::kernels
