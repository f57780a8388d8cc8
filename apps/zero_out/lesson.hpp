// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// zero_out: data[i] = 0 for every i.
//
// The course launches 1024 blocks of 5 threads, one element each; nothing beyond the end may be
// written. Memory is only written: n sizeof(T) bytes over the bandwidth of a write is the least
// time. (On a CPU without non-temporal stores every cache line is read before it is overwritten.)
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace parallax::kernels::zero_out {

/// The indices 0 to n - 1, of 64 bits each: Kokkos's own choice has 32 on a GPU, too few for the
/// largest arrays.
template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// The loop's body, a type rather than a lambda: a build for a GPU inlines it on the host as well.
// begin: range
template <class Array>
struct Element {
  Array data;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { data(i) = 0; }
};
// end: range

/// One index per element: the form to write first. `data` is a rank-1 view.
// begin: range
template <class Space, class Array>
void range(const Space& space, const Array& data) {
  // student: begin range
  const auto n = static_cast<std::int64_t>(data.extent(0));
  Kokkos::parallel_for("parallax::zero_out::range", Range<Space>(space, 0, n),
                       Element<Array>{data});
  // student: end range
}
// end: range

/// What a program should call: the library's fill. Zeros are a special case in it (cudaMemsetAsync,
/// hipMemsetAsync, on OpenMP memset for small arrays and else a parallel loop); other values are a
/// kernel. The instance as the first argument makes it asynchronous; without it, it fences.
template <class Space, class Array>
void deep_copy(const Space& space, const Array& data) {
  Kokkos::deep_copy(space, data, typename Array::value_type(0));
}

/// A thread of the course's kernel: it computes its index from the number of its block, the block's
/// width and its own rank (CUDA's blockIdx.x * blockDim.x + threadIdx.x), and does one element. On
/// a CPU that is a call for each element, so this body is a type, too.
// begin: team
template <class Space, class Array>
struct Thread {
  Array data;
  KOKKOS_FUNCTION void operator()(
      const typename Kokkos::TeamPolicy<Space>::member_type& team) const {
    // student: begin team
    const std::int64_t i = std::int64_t{team.league_rank()} * team.team_size() + team.team_rank();
    // The last block has threads beyond the end unless n is a multiple of its width: without this
    // line they overwrite the memory behind the array.
    if (i < static_cast<std::int64_t>(data.extent(0))) data(i) = 0;
    // student: end team
  }
};
// end: team

/// The course's launch, with blocks of any width: the course's own is `--team-size 5`, in which 27
/// of a warp's 32 lanes have nothing to do. On a CPU a team of one thread for each element is far
/// too little work to hand out; `range` gives each core one long run of indices.
template <class Space, class Array>
void team(const Space& space, int team_size, const Array& data) {
  const auto n = static_cast<std::int64_t>(data.extent(0));
  const auto league = static_cast<int>((n + team_size - 1) / team_size);
  Kokkos::parallel_for("parallax::zero_out::team",
                       Kokkos::TeamPolicy<Space>(space, league, team_size),
                       Thread<Space, Array>{data});
}

/// Each team fills a block with zeros in scratch, the small, fast memory that its threads share,
/// and copies it out. There is nothing to stage: no element is read, so scratch can only add work.
/// What may still help against `team` is that a thread does several elements, which `--team-size`
/// changes.
template <class Space, class Array>
void team_scratch(const Space& space, int team_size, const Array& data) {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Scratch = Kokkos::View<typename Array::value_type*, typename Space::scratch_memory_space,
                               Kokkos::MemoryUnmanaged>;
  constexpr std::int64_t size = 1024;  // elements per team
  const auto n = static_cast<std::int64_t>(data.extent(0));
  const auto league = static_cast<int>((n + size - 1) / size);
  Kokkos::parallel_for(
      "parallax::zero_out::team_scratch",
      Policy(space, league, team_size)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(size))),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        // student: begin team_scratch
        const std::int64_t begin = size * team.league_rank();
        const std::int64_t count = n - begin < size ? n - begin : size;  // the last one is shorter
        const Scratch block(team.team_scratch(0), count);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                             [&](std::int64_t i) { block(i) = 0; });
        team.team_barrier();  // the whole block is written before any thread reads from it
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                             [&](std::int64_t i) { data(begin + i) = block(i); });
        // student: end team_scratch
      });
}

}  // namespace parallax::kernels::zero_out
