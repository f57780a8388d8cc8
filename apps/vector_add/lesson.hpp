// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// vector_add: c[i] = a[i] + b[i].
//
// The course's first kernel, in three forms. It does one addition for every 12 bytes (float) or 24
// bytes (double) that it moves, so only memory bandwidth decides how long it takes: 3 n sizeof(T)
// bytes over the bandwidth of a triad is the least time, on a CPU as on a GPU.
//
// Each element is one addition, rounded once: results are equal everywhere, bit by bit.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace parallax::kernels {

/// The loop's body: what is done for index i. A KOKKOS_LAMBDA would be shorter. In a build for a
/// GPU, however, nvcc hides a lambda behind a function pointer on the host, and the CPU pays for a
/// call per element; a type with an operator() is inlined by every compiler.
// begin: range
template <class A, class B, class C>
struct VectorAddElement {
  A a;
  B b;
  C c;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { c(i) = a(i) + b(i); }
};
// end: range

/// One index per element: the form to write first. `a`, `b` and `c` are rank-1 views of one extent,
/// in memory that `space` can reach. On a GPU each index is a thread, and neighbouring threads read
/// neighbouring elements: the loads are coalesced.
// begin: range
template <class Space, class A, class B, class C>
void vector_add_range(const Space& space, const A& a, const B& b, const C& c) {
  static_assert(C::rank() == 1, "vector_add takes rank-1 views");
  // student: begin range
  const auto n = static_cast<std::int64_t>(c.extent(0));
  Kokkos::parallel_for("parallax::vector_add::range",
                       Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, n),
                       VectorAddElement<A, B, C>{a, b, c});
  // student: end range
}
// end: range

/// What one team does: it adds a block of neighbouring elements. `league_rank` is the number of the
/// block, and TeamThreadRange divides its indices among the team's threads, however many there are.
/// The last block is shorter than the others; its `end` keeps every thread inside the arrays.
template <class Space, class A, class B, class C>
struct VectorAddBlock {
  static constexpr std::int64_t size = 1024;  // elements per team
  A a;
  B b;
  C c;

  KOKKOS_FUNCTION void operator()(
      const typename Kokkos::TeamPolicy<Space>::member_type& team) const {
    const auto n = static_cast<std::int64_t>(c.extent(0));
    // student: begin team
    const std::int64_t begin = size * team.league_rank();
    const std::int64_t end = begin + size < n ? begin + size : n;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, end),
                         [&](std::int64_t i) { c(i) = a(i) + b(i); });
    // student: end team
  }
};

/// A league of teams: what CUDA and Numba call a grid of blocks.
template <class Space, class A, class B, class C>
void vector_add_team(const Space& space, int team_size, const A& a, const B& b, const C& c) {
  using Block = VectorAddBlock<Space, A, B, C>;
  const auto n = static_cast<std::int64_t>(c.extent(0));
  const auto league = static_cast<int>((n + Block::size - 1) / Block::size);
  Kokkos::parallel_for("parallax::vector_add::team",
                       Kokkos::TeamPolicy<Space>(space, league, team_size), Block{a, b, c});
}

/// The same block by way of scratch memory: a small, fast memory that a team's threads share (CUDA
/// calls it shared memory). The pattern is always this: copy a block in, wait, compute from it.
template <class Space, class A, class B, class C>
struct VectorAddStaged {
  static constexpr std::int64_t size = 1024;
  using T = typename C::non_const_value_type;
  using Scratch = Kokkos::View<T*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  A a;
  B b;
  C c;

  KOKKOS_FUNCTION void operator()(
      const typename Kokkos::TeamPolicy<Space>::member_type& team) const {
    const auto n = static_cast<std::int64_t>(c.extent(0));
    const std::int64_t begin = size * team.league_rank();
    const std::int64_t count = n - begin < size ? n - begin : size;
    const Scratch a_block(team.team_scratch(0), count), b_block(team.team_scratch(0), count);
    // student: begin team_scratch
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](std::int64_t i) {
      a_block(i) = a(begin + i);
      b_block(i) = b(begin + i);
    });
    // No thread reads the block before all have written to it. Here each thread happens to read
    // what it wrote itself; as soon as it reads a neighbour's element, a missing barrier is a race.
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                         [&](std::int64_t i) { c(begin + i) = a_block(i) + b_block(i); });
    // student: end team_scratch
  }
};

/// Staged in scratch. Every element is used once, so nothing is gained: the same bytes come from
/// memory, and a copy and a barrier are added. Scratch pays where data is used again (`matmul`).
template <class Space, class A, class B, class C>
void vector_add_team_scratch(const Space& space, int team_size, const A& a, const B& b,
                             const C& c) {
  using Staged = VectorAddStaged<Space, A, B, C>;
  const auto n = static_cast<std::int64_t>(c.extent(0));
  const auto league = static_cast<int>((n + Staged::size - 1) / Staged::size);
  const std::size_t bytes = 2 * Staged::Scratch::shmem_size(Staged::size);
  Kokkos::parallel_for("parallax::vector_add::team_scratch",
                       Kokkos::TeamPolicy<Space>(space, league, team_size)
                           .set_scratch_size(0, Kokkos::PerTeam(bytes)),
                       Staged{a, b, c});
}

}  // namespace parallax::kernels
