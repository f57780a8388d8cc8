// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// add_one: a[i] = a[i] + 1 for every i of a large array of reals.
//
// The course's first look at what a GPU is good for: 60.9 ms on its CPU and 2.15 ms on its GPU for
// 1e8 doubles, and then 134 ms to bring them there and 145 ms to bring them back. One addition for
// 2 sizeof(T) bytes moved: those bytes over the bandwidth of a copy are the least time.
//
// Each element is one addition, rounded once: results are equal everywhere, bit by bit.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace parallax::kernels {

/// The loop's body. A type with an operator() is inlined by every compiler; nvcc would put a
/// KOKKOS_LAMBDA behind a function pointer on the host, and the CPU would call it per element.
template <class A>
struct AddOneElement {
  A a;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { a(i) += 1; }
};

/// One index per element of `a`, a rank-1 view. The element is read, changed and written back by
/// the same thread, so working in place is safe: no other index looks at it.
template <class Space, class A>
void add_one_range(const Space& space, const A& a) {
  static_assert(A::rank() == 1, "add_one takes a rank-1 view");
  const auto n = static_cast<std::int64_t>(a.extent(0));
  Kokkos::parallel_for("parallax::add_one::range",
                       Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, n),
                       AddOneElement<A>{a});
}

/// What one team does: it copies a block of `a` into scratch, the small, fast memory that its
/// threads share, adds 1 there, and copies the block back.
template <class Space, class A>
struct AddOneStaged {
  static constexpr std::int64_t size = 1024;  // elements per team
  using T = typename A::non_const_value_type;
  using Scratch = Kokkos::View<T*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  A a;

  KOKKOS_FUNCTION void operator()(
      const typename Kokkos::TeamPolicy<Space>::member_type& team) const {
    const auto n = static_cast<std::int64_t>(a.extent(0));
    const std::int64_t begin = size * team.league_rank();
    const std::int64_t count = n - begin < size ? n - begin : size;  // the last block is shorter
    const Scratch block(team.team_scratch(0), count);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                         [&](std::int64_t i) { block(i) = a(begin + i); });
    // Scratch is shared: between a write and another thread's read there must be a barrier. These
    // loops give each thread the same indices each time, so here it only costs time; most kernels
    // that use scratch are wrong without it.
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                         [&](std::int64_t i) { block(i) += 1; });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                         [&](std::int64_t i) { a(begin + i) = block(i); });
  }
};

/// Each element is used once, so scratch has nothing to save: memory moves the same bytes as in
/// `range`, and two copies and two barriers come on top.
template <class Space, class A>
void add_one_team_scratch(const Space& space, int team_size, const A& a) {
  using Staged = AddOneStaged<Space, A>;
  const auto n = static_cast<std::int64_t>(a.extent(0));
  const auto league = static_cast<int>((n + Staged::size - 1) / Staged::size);
  const std::size_t bytes = Staged::Scratch::shmem_size(Staged::size);
  Kokkos::parallel_for("parallax::add_one::team_scratch",
                       Kokkos::TeamPolicy<Space>(space, league, team_size)
                           .set_scratch_size(0, Kokkos::PerTeam(bytes)),
                       Staged{a});
}

}  // namespace parallax::kernels
