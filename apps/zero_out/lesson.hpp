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

namespace parallax::kernels {

/// The loop's body, a type rather than a lambda: a build for a GPU inlines it on the host as well.
template <class Data>
struct ZeroOutElement {
  Data data;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { data(i) = 0; }
};

/// One index per element: the form to write first. `data` is a rank-1 view.
template <class Space, class Data>
void zero_out_range(const Space& space, const Data& data) {
  static_assert(Data::rank() == 1, "zero_out takes a rank-1 view");
  const auto n = static_cast<std::int64_t>(data.extent(0));
  Kokkos::parallel_for("parallax::zero_out::range",
                       Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, n),
                       ZeroOutElement<Data>{data});
}

/// What a program should call: the library's fill. Zeros are a special case in it (cudaMemsetAsync,
/// hipMemsetAsync, on OpenMP memset for small arrays and else a parallel loop); other values are a
/// kernel. The instance as the first argument makes it asynchronous; without it, it fences.
template <class Space, class Data>
void zero_out_deep_copy(const Space& space, const Data& data) {
  Kokkos::deep_copy(space, data, typename Data::non_const_value_type(0));
}

/// A thread of the course's kernel: it computes its index from the number of its block, the block's
/// width and its own rank (CUDA's blockIdx.x * blockDim.x + threadIdx.x), and does one element.
template <class Space, class Data>
struct ZeroOutThread {
  Data data;
  KOKKOS_FUNCTION void operator()(
      const typename Kokkos::TeamPolicy<Space>::member_type& team) const {
    const std::int64_t i = std::int64_t{team.league_rank()} * team.team_size() + team.team_rank();
    // The last block has threads beyond the end unless n is a multiple of its width: without this
    // line they overwrite the memory behind the array.
    if (i < static_cast<std::int64_t>(data.extent(0))) data(i) = 0;
  }
};

/// The course's launch, with blocks of any width: `--team-size 5` is its own, in which 27 of a
/// warp's 32 lanes have nothing to do. On a CPU a team of one thread for each element is far too
/// little work to hand out; `range` gives each core one long run of indices.
template <class Space, class Data>
void zero_out_team(const Space& space, int team_size, const Data& data) {
  const auto n = static_cast<std::int64_t>(data.extent(0));
  const auto league = static_cast<int>((n + team_size - 1) / team_size);
  Kokkos::parallel_for("parallax::zero_out::team",
                       Kokkos::TeamPolicy<Space>(space, league, team_size),
                       ZeroOutThread<Space, Data>{data});
}

/// What one team does by way of scratch, the small, fast memory that its threads share: it fills a
/// block with zeros there, and copies it out.
template <class Space, class Data>
struct ZeroOutStaged {
  static constexpr std::int64_t size = 1024;  // elements per team
  using T = typename Data::non_const_value_type;
  using Scratch = Kokkos::View<T*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  Data data;

  KOKKOS_FUNCTION void operator()(
      const typename Kokkos::TeamPolicy<Space>::member_type& team) const {
    const auto n = static_cast<std::int64_t>(data.extent(0));
    const std::int64_t begin = size * team.league_rank();
    const std::int64_t count = n - begin < size ? n - begin : size;  // the last block is shorter
    const Scratch block(team.team_scratch(0), count);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                         [&](std::int64_t i) { block(i) = 0; });
    team.team_barrier();  // the whole block is written before any thread reads from it
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                         [&](std::int64_t i) { data(begin + i) = block(i); });
  }
};

/// There is nothing to stage: no element is read, so scratch can only add work. What may still help
/// against `team` is that a thread does several elements, which `--team-size` changes.
template <class Space, class Data>
void zero_out_team_scratch(const Space& space, int team_size, const Data& data) {
  using Staged = ZeroOutStaged<Space, Data>;
  const auto n = static_cast<std::int64_t>(data.extent(0));
  const auto league = static_cast<int>((n + Staged::size - 1) / Staged::size);
  const std::size_t bytes = Staged::Scratch::shmem_size(Staged::size);
  Kokkos::parallel_for("parallax::zero_out::team_scratch",
                       Kokkos::TeamPolicy<Space>(space, league, team_size)
                           .set_scratch_size(0, Kokkos::PerTeam(bytes)),
                       Staged{data});
}

}  // namespace parallax::kernels
