// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// increment: data[i] += 1 for every i.
//
// The smallest kernel there is. A loop's body becomes a function of its index, and Kokkos calls it
// once for every index, in no order: on a CPU each core takes a stretch of indices, on a GPU each
// thread takes one. That is allowed because no index touches what another one touches.
//
// It reads and writes 4 bytes for one addition: 8 n bytes over the rate of updates is the least
// time. At the course's 1024 elements that is nothing, and what one measures is the cost of
// launching a kernel.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace parallax::kernels::increment {

/// The indices 0 to n - 1, of 64 bits each: Kokkos's own choice has 32 on a GPU, too few for the
/// largest arrays.
template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// The loop's body, as a type with an operator(). A lambda does the same (`KOKKOS_LAMBDA(int i) {
/// data(i) += 1; }`), but nvcc makes every call of it on the host a call through a pointer.
// begin: range
template <class Data>
struct Element {
  Data data;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { data(i) += 1; }
};
// end: range

/// Adds 1 to every element of `data`, a rank-1 view in memory that `space` reaches.
///
/// The range says which indices there are. There is no bounds check to write and none to forget:
/// Kokkos rounds the number of GPU threads up to whole blocks, and keeps those beyond the end from
/// running the body.
// begin: range
template <class Space, class Data>
void range(const Space& space, const Data& data) {
  // student: begin range
  const auto n = static_cast<std::int64_t>(data.extent(0));
  Kokkos::parallel_for("parallax::increment::range", Range<Space>(space, 0, n),
                       Element<Data>{data});
  // student: end range
}
// end: range

/// One block (a league of one team), as the course's first kernel: right for any n, but a block
/// runs on one multiprocessor of a GPU, and a team on a CPU is one core's. The rest is idle.
///
/// A thread's index is its rank in the team (CUDA's threadIdx.x). With equally many threads and
/// elements each does one, and the loop ends after its first turn. With fewer, a thread goes on by
/// the width of the team; with more, the threads beyond the end do nothing, because this time you
/// must check the bounds yourself.
template <class Space, class Data>
void one_block(const Space& space, int team_size, const Data& data) {
  using Policy = Kokkos::TeamPolicy<Space>;
  Kokkos::parallel_for(
      "parallax::increment::one_block", Policy(space, 1, team_size),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        // student: begin one_block
        const auto n = static_cast<std::int64_t>(data.extent(0));
        for (std::int64_t i = team.team_rank(); i < n; i += team.team_size()) data(i) += 1;
        // student: end one_block
      });
}

/// Many teams, by way of scratch, the memory that a team's threads share: a block of elements in, 1
/// added, the block out. `league_rank` is the number of the block (CUDA's blockIdx.x), and
/// TeamThreadRange divides indices among the threads. It gains nothing here, because every element
/// is used once; it is staging in its smallest form.
template <class Space, class Data>
void team_scratch(const Space& space, int team_size, const Data& data) {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Scratch = Kokkos::View<typename Data::value_type*, typename Space::scratch_memory_space,
                               Kokkos::MemoryUnmanaged>;
  constexpr std::int64_t size = 1024;  // elements per team
  const auto n = static_cast<std::int64_t>(data.extent(0));
  const auto league = static_cast<int>((n + size - 1) / size);
  Kokkos::parallel_for(
      "parallax::increment::team_scratch",
      Policy(space, league, team_size)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(size))),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const std::int64_t begin = size * team.league_rank();
        const std::int64_t count = n - begin < size ? n - begin : size;  // the last one is shorter
        const Scratch block(team.team_scratch(0), count);
        // student: begin team_scratch
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                             [&](std::int64_t i) { block(i) = data(begin + i); });
        team.team_barrier();  // the whole block is there before any thread reads from it
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                             [&](std::int64_t i) { data(begin + i) = block(i) + 1; });
        // student: end team_scratch
      });
}

}  // namespace parallax::kernels::increment
