// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// add_one: a[i] = a[i] + 1 for every i of a large array of reals.
//
// The course's first look at what a GPU is good for: 60.9 ms on its CPU and 2.15 ms on its GPU for
// 1e8 doubles, and then 134 ms to bring them there and 145 ms to bring them back. One addition for
// 2 sizeof(T) bytes moved: those bytes over the bandwidth of updates are the least time.
//
// Each element is one addition, rounded once: results are equal everywhere, bit by bit.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace parallax::kernels::add_one {

/// The indices 0 to n - 1, of 64 bits each: Kokkos's own choice has 32 on a GPU, too few for the
/// largest arrays.
template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// The loop's body. A type with an operator() is inlined by every compiler; nvcc would put a
/// KOKKOS_LAMBDA behind a function pointer on the host, and the CPU would call it per element.
template <class Array>
struct Element {
  Array a;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { a(i) += 1; }
};

/// One index per element of `a`, a rank-1 view. The element is read, changed and written back by
/// the same thread, so working in place is safe: no other index looks at it.
template <class Space, class Array>
void range(const Space& space, const Array& a) {
  const auto n = static_cast<std::int64_t>(a.extent(0));
  Kokkos::parallel_for("parallax::add_one::range", Range<Space>(space, 0, n), Element<Array>{a});
}

/// A league of teams. Each copies a block of `a` into scratch, the small, fast memory that its
/// threads share, adds 1 there, and copies the block back. One call for each block costs a CPU
/// nothing, so this body is a lambda.
///
/// Each element is used once, so scratch has nothing to save: memory moves the same bytes as in
/// `range`, and two copies and two barriers come on top.
template <class Space, class Array>
void team_scratch(const Space& space, int team_size, const Array& a) {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Scratch = Kokkos::View<typename Array::value_type*, typename Space::scratch_memory_space,
                               Kokkos::MemoryUnmanaged>;
  constexpr std::int64_t size = 1024;  // elements per team
  const auto n = static_cast<std::int64_t>(a.extent(0));
  const auto league = static_cast<int>((n + size - 1) / size);
  Kokkos::parallel_for(
      "parallax::add_one::team_scratch",
      Policy(space, league, team_size)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(size))),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const std::int64_t begin = size * team.league_rank();
        const std::int64_t count = n - begin < size ? n - begin : size;  // the last one is shorter
        const Scratch block(team.team_scratch(0), count);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                             [&](std::int64_t i) { block(i) = a(begin + i); });
        // Scratch is shared: between a write and another thread's read there must be a barrier.
        // These loops give each thread the same indices each time, so here it only costs time; most
        // kernels that use scratch are wrong without it.
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                             [&](std::int64_t i) { block(i) += 1; });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                             [&](std::int64_t i) { a(begin + i) = block(i); });
      });
}

}  // namespace parallax::kernels::add_one
