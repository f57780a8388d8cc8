// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// ragged_sum: the sum of each list of a ragged array, list i being content[offsets[i] ..
// offsets[i+1]).
//
// Collision events are ragged: each has its own number of particles. One thread for each list is
// right while lists are short and alike; when one of them is a million long, one thread works
// while the rest of the machine waits. One team for each list wastes most of the team on the short
// ones. Elements are alike, whatever the lists, but their threads meet at the sums (`atomic`).
//
// Work: offsets and content read once, sums written once; one addition an element. The memory's
// bandwidth is the ceiling.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

namespace parallax::kernels::ragged_sum {

/// Indices of 64 bits: Kokkos's own choice has 32 on a GPU, and large arrays have more elements.
template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

// begin: list_per_thread
template <class Offsets, class Content, class Sums>
struct ListPerThread {
  Offsets offsets;
  Content content;
  Sums sums;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    // student: begin list_per_thread
    const auto end = offsets(i + 1);
    typename Sums::non_const_value_type sum = 0;
    for (auto e = offsets(i); e < end; ++e) sum += content(e);
    sums(i) = sum;
    // student: end list_per_thread
  }
};
// end: list_per_thread

/// One thread for each list, as one writes it first.
// begin: list_per_thread
template <class Space, class Offsets, class Content, class Sums>
void list_per_thread(const Space& space, const Offsets& offsets, const Content& content,
                     const Sums& sums) {
  Kokkos::parallel_for("parallax::ragged_sum::list_per_thread",
                       Range<Space>(space, 0, sums.extent(0)),
                       ListPerThread<Offsets, Content, Sums>{offsets, content, sums});
}
// end: list_per_thread

/// One team for each list, whose threads read neighbouring elements and join their sums: good for
/// long lists.
template <class Space, class Offsets, class Content, class Sums>
void list_per_team(const Space& space, int team_size, const Offsets& offsets,
                   const Content& content, const Sums& sums) {
  using T = typename Sums::non_const_value_type;
  using Policy = Kokkos::TeamPolicy<Space>;
  const std::int64_t lists = sums.extent(0);
  // A team takes every `teams`-th list: starting a team costs more than most lists.
  const int teams = static_cast<int>(
      std::min<std::int64_t>(lists, 64 * std::int64_t{space.concurrency()} / team_size));
  Kokkos::parallel_for(
      "parallax::ragged_sum::list_per_team", Policy(space, teams, team_size),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        for (std::int64_t i = team.league_rank(); i < lists; i += team.league_size()) {
          // student: begin list_per_team
          T sum = 0;
          Kokkos::parallel_reduce(
              Kokkos::TeamThreadRange(team, offsets(i), offsets(i + 1)),
              [&](auto e, T& partial) { partial += content(e); }, sum);
          Kokkos::single(Kokkos::PerTeam(team), [&] { sums(i) = sum; });
          // student: end list_per_team
        }
      });
}

template <class Offsets, class Content, class Sums>
struct Atomic {
  Offsets offsets;
  Content content;
  Sums sums;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    // student: begin atomic
    std::int64_t list = 0, after = sums.extent(0);  // it is one of list .. after - 1
    while (after - list > 1) {
      const std::int64_t middle = (list + after) / 2;
      (offsets(middle) <= e ? list : after) = middle;
    }
    Kokkos::atomic_add(&sums(list), content(e));
    // student: end atomic
  }
};

/// One thread for each element, which finds its list by bisection and adds to the list's sum. A
/// giant's threads wait for each other.
template <class Space, class Offsets, class Content, class Sums>
void atomic(const Space& space, const Offsets& offsets, const Content& content, const Sums& sums) {
  Kokkos::deep_copy(space, sums, 0);
  Kokkos::parallel_for("parallax::ragged_sum::atomic", Range<Space>(space, 0, content.extent(0)),
                       Atomic<Offsets, Content, Sums>{offsets, content, sums});
}

/// One thread for each list again, but a team first copies its lists' elements to scratch memory, a
/// tile at a time: neighbouring threads read neighbouring elements there, whatever the lists. A
/// giant is still added up by one thread.
template <class Space, class Offsets, class Content, class Sums>
void team_scratch(const Space& space, int team_size, const Offsets& offsets, const Content& content,
                  const Sums& sums) {
  using T = typename Sums::non_const_value_type;
  using Policy = Kokkos::TeamPolicy<Space>;
  using Scratch = Kokkos::View<T*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  constexpr std::int64_t block = 256, tile = 1024;  // lists of a team, elements in scratch
  const std::int64_t lists = sums.extent(0), teams = (lists + block - 1) / block;
  Kokkos::deep_copy(space, sums, 0);
  Kokkos::parallel_for(
      "parallax::ragged_sum::team_scratch",
      Policy(space, static_cast<int>(teams), team_size)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(tile))),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Scratch staged(team.team_scratch(0), tile);
        const std::int64_t first = team.league_rank() * block;
        const std::int64_t last = Kokkos::min(first + block, lists);
        const std::int64_t end = offsets(last);
        for (std::int64_t at = offsets(first); at < end; at += tile) {
          const std::int64_t to = Kokkos::min(at + tile, end);
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, at, to),
                               [&](std::int64_t e) { staged(e - at) = content(e); });
          team.team_barrier();  // no thread reads before all is there
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last), [&](std::int64_t i) {
            const std::int64_t from = Kokkos::max<std::int64_t>(offsets(i), at);
            const std::int64_t until = Kokkos::min<std::int64_t>(offsets(i + 1), to);
            T sum = 0;  // of the list's part in this tile
            for (std::int64_t e = from; e < until; ++e) sum += staged(e - at);
            if (from < until) sums(i) += sum;
          });
          team.team_barrier();  // no thread overwrites what others still read
        }
      });
}

}  // namespace parallax::kernels::ragged_sum
