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

namespace parallax::kernels::vector_add {

/// The indices 0 to n - 1, of 64 bits each: Kokkos's own choice has 32 on a GPU, and the course's
/// large arrays have more elements than that counts.
template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// The loop's body: what is done for index i. A KOKKOS_LAMBDA would be shorter. In a build for a
/// GPU, however, nvcc hides a lambda behind a function pointer on the host, and the CPU pays for a
/// call per element; a type with an operator() is inlined by every compiler.
// begin: range
template <class Array>
struct Element {
  Array a, b, c;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { c(i) = a(i) + b(i); }
};
// end: range

/// One index per element: the form to write first. `a`, `b` and `c` are rank-1 views of one extent,
/// in memory that `space` can reach. On a GPU each index is a thread, and neighbouring threads read
/// neighbouring elements: the loads are coalesced.
// begin: range
template <class Space, class Array>
void range(const Space& space, const Array& a, const Array& b, const Array& c) {
  // student: begin range
  const auto n = static_cast<std::int64_t>(c.extent(0));
  Kokkos::parallel_for("parallax::vector_add::range", Range<Space>(space, 0, n),
                       Element<Array>{a, b, c});
  // student: end range
}
// end: range

constexpr std::int64_t block = 1024;  ///< elements per team

/// A league of teams: what CUDA and Numba call a grid of blocks. A team adds a block of
/// neighbouring elements. `league_rank` is the number of the block, and TeamThreadRange divides its
/// indices among the team's threads, however many there are. The last block is shorter than the
/// others; its `end` keeps every thread inside the arrays.
///
/// This body is a KOKKOS_LAMBDA: one call for each block costs a CPU nothing.
template <class Space, class Array>
void team(const Space& space, int team_size, const Array& a, const Array& b, const Array& c) {
  using Policy = Kokkos::TeamPolicy<Space>;
  const auto n = static_cast<std::int64_t>(c.extent(0));
  const auto blocks = static_cast<int>((n + block - 1) / block);
  Kokkos::parallel_for(
      "parallax::vector_add::team", Policy(space, blocks, team_size),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        // student: begin team
        const std::int64_t begin = block * team.league_rank();
        const std::int64_t end = begin + block < n ? begin + block : n;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, end),
                             [&](std::int64_t i) { c(i) = a(i) + b(i); });
        // student: end team
      });
}

/// The same block by way of scratch memory: a small, fast memory that a team's threads share (CUDA
/// calls it shared memory). The pattern is always this: copy a block in, wait, compute from it.
///
/// Every element is used once, so nothing is gained: the same bytes come from memory, and a copy
/// and a barrier are added. Scratch pays where data is used again (`matmul`).
template <class Space, class Array>
void team_scratch(const Space& space, int team_size, const Array& a, const Array& b,
                  const Array& c) {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Scratch = Kokkos::View<typename Array::value_type*, typename Space::scratch_memory_space,
                               Kokkos::MemoryUnmanaged>;
  const auto n = static_cast<std::int64_t>(c.extent(0));
  const auto blocks = static_cast<int>((n + block - 1) / block);
  const std::size_t bytes = 2 * Scratch::shmem_size(block);
  Kokkos::parallel_for(
      "parallax::vector_add::team_scratch",
      Policy(space, blocks, team_size).set_scratch_size(0, Kokkos::PerTeam(bytes)),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const std::int64_t begin = block * team.league_rank();
        const std::int64_t count = n - begin < block ? n - begin : block;
        const Scratch a_block(team.team_scratch(0), count), b_block(team.team_scratch(0), count);
        // student: begin team_scratch
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](std::int64_t i) {
          a_block(i) = a(begin + i);
          b_block(i) = b(begin + i);
        });
        // No thread reads the block before all have written to it. Here each thread happens to read
        // what it wrote itself; as soon as it reads a neighbour's element, a missing barrier is a
        // race.
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                             [&](std::int64_t i) { c(begin + i) = a_block(i) + b_block(i); });
        // student: end team_scratch
      });
}

}  // namespace parallax::kernels::vector_add
