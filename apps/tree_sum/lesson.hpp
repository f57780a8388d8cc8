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

namespace parallax::kernels::tree_sum {

/// Indices of 64 bits: Kokkos's own choice has 32 on a GPU, and large arrays have more elements.
template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

template <class Array, class Sum>
struct Race {
  Array a;
  Sum sum;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    volatile typename Sum::value_type* shared = &sum();
    *shared = *shared + a(i);
  }
};

/// WRONG ON PURPOSE: two threads read the same old sum, both add to it, and the later store erases
/// the earlier one. `volatile` makes each iteration really load and store; without it a compiler
/// may keep the sum in a register. It does not make the two one step: `atomic` does.
template <class Space, class Array, class Sum>
void race(const Space& space, const Array& a, const Sum& sum) {
  Kokkos::deep_copy(space, sum, 0);
  Kokkos::parallel_for("parallax::tree_sum::race", Range<Space>(space, 0, a.extent(0)),
                       Race<Array, Sum>{a, sum});
}

template <class Array, class Sum>
struct Atomic {
  Array a;
  Sum sum;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { Kokkos::atomic_add(&sum(), a(i)); }
};

/// Every addition is one indivisible step on one address: right, in an order that differs from run
/// to run, and slow, because all threads wait for that address.
template <class Space, class Array, class Sum>
void atomic(const Space& space, const Array& a, const Sum& sum) {
  // student: begin atomic
  Kokkos::deep_copy(space, sum, 0);
  Kokkos::parallel_for("parallax::tree_sum::atomic", Range<Space>(space, 0, a.extent(0)),
                       Atomic<Array, Sum>{a, sum});
  // student: end atomic
}

/// to[i] = from[i] + from[i + half], or only from[i] where the upper half has no partner for it.
template <class Array>
struct Halve {
  Array from, to;
  std::int64_t n, half;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to(i) = i + half < n ? from(i) + from(i + half) : from(i);
  }
};

/// The course's tree: each launch adds the upper half to the lower, and the end of a launch is the
/// barrier between two levels. `work` holds (n + 1) / 2 elements; the first launch fills it from
/// `a`, which stays as it was. Later ones leave the middle element of an odd length as it is.
template <class Space, class Array, class Sum>
void tree(const Space& space, const Array& a, const Array& work, const Sum& sum) {
  std::int64_t n = a.extent(0), half = (n + 1) / 2;
  if (n == 0) return Kokkos::deep_copy(space, sum, 0);
  Kokkos::parallel_for("parallax::tree_sum::tree::first", Range<Space>(space, 0, half),
                       Halve<Array>{a, work, n, half});
  for (n = half; n > 1; n = half) {
    half = (n + 1) / 2;
    Kokkos::parallel_for("parallax::tree_sum::tree", Range<Space>(space, 0, n - half),
                         Halve<Array>{work, work, n, half});
  }
  Kokkos::deep_copy(space, sum, Kokkos::subview(work, 0));
}

/// The same tree inside one kernel. A team copies its block to scratch memory, which it shares, and
/// adds the block up there by halves: a barrier of a team costs far less than a launch, and no
/// level passes through main memory. One atomic addition per team is left.
// begin: team_scratch
template <class Space, class Array, class Sum>
void team_scratch(const Space& space, int team_size, const Array& a, const Sum& sum) {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Scratch = Kokkos::View<typename Array::value_type*, typename Space::scratch_memory_space,
                               Kokkos::MemoryUnmanaged>;
  constexpr std::int64_t block = 1024;  // elements of a team: 8 KiB of scratch memory at most
  const std::int64_t elements = a.extent(0);
  const int teams = static_cast<int>((elements + block - 1) / block);
  const auto bytes = Kokkos::PerTeam(Scratch::shmem_size(block));
  Kokkos::deep_copy(space, sum, 0);
  Kokkos::parallel_for(
      "parallax::tree_sum::team_scratch",
      Policy(space, teams, team_size).set_scratch_size(0, bytes),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Scratch x(team.team_scratch(0), block);
        const std::int64_t first = team.league_rank() * block;
        int n = static_cast<int>(Kokkos::min(block, elements - first));
        // student: begin team_scratch
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n), [&](int i) { x(i) = a(first + i); });
        team.team_barrier();  // other threads wrote what the next loop reads
        while (n > 1) {
          const int middle = (n + 1) / 2;
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n - middle),
                               [&](int i) { x(i) += x(i + middle); });
          team.team_barrier();  // one level of the tree ends before the next begins
          n = middle;
        }
        if (team.team_rank() == 0) Kokkos::atomic_add(&sum(), x(0));
        // student: end team_scratch
      });
}
// end: team_scratch

template <class Array, class Sum>
struct Reduce {
  Array a;
  KOKKOS_FUNCTION void operator()(std::int64_t i, typename Sum::value_type& sum) const {
    sum += a(i);
  }
};

/// What one writes in practice: each thread adds to its own sum, and Kokkos joins them. The
/// result goes to a view in the space's memory, so the call does not wait for it.
template <class Space, class Array, class Sum>
void reduce(const Space& space, const Array& a, const Sum& sum) {
  // student: begin reduce
  Kokkos::parallel_reduce("parallax::tree_sum::reduce", Range<Space>(space, 0, a.extent(0)),
                          Reduce<Array, Sum>{a}, sum);
  // student: end reduce
}

}  // namespace parallax::kernels::tree_sum
