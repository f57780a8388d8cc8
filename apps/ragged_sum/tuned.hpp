// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// ragged_sum, tuned: `balanced` cuts the work and not the lists. Short lists are summed by threads,
// several at a time, and whoever meets a long one leaves it to a second kernel, which splits the
// longest by elements among all workers.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "device/tuning.hpp"
#include "device/worklist.hpp"
#include "ragged_sum/lesson.hpp"

namespace parallax::kernels::ragged_sum {

/// How `balanced` is cut.
template <class Space>
struct Tuning {
  /// A thread sums this many short lists side by side, and asks for `ahead` elements of each before
  /// it adds the first: loads in flight on a GPU, vector lanes on a CPU.
  static constexpr int lists = is_host_space<Space> ? 32 : 4;
  static constexpr int ahead = is_host_space<Space> ? 4 : 2;
  static constexpr int longest_short = 64, longest_medium = 8192;
  static constexpr int segment = 4096;  ///< elements of a large list that a worker takes at a time
  /// A worker of the second kernel: vector lanes, each with `parts` separate sums.
  static constexpr int lanes = is_host_space<Space> ? 1 : 32;
  static constexpr int workers = is_host_space<Space> ? 1 : 8;  ///< of a team
  static constexpr int parts = is_host_space<Space> ? 16 : 4;
};

/// The lists that the first kernel leaves to the second, and the sums of large lists' segments.
template <class Space, class T, class Tune = Tuning<Space>>
struct Workspace {
  Workspace(const Space& space, std::int64_t elements)
      : list(space, elements / (Tune::longest_short + 1), elements / (Tune::longest_medium + 1)),
        partial(
            Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::ragged_sum::partial"),
            elements / Tune::segment + elements / (Tune::longest_medium + 1)) {}
  Worklist<Space> list;
  Kokkos::View<T*, typename Space::memory_space> partial;
};

/// What a list needs decides who sums it: a thread, a worker of many lanes, or, segment by segment,
/// all of them. Segments are joined in order, so that sums are the same, bit by bit, in every run.
template <class Space, class Offsets, class Content, class Sums, class Tune>
struct Balanced {
  using T = typename Sums::non_const_value_type;
  using Index = typename Offsets::non_const_value_type;
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;
  Offsets offsets;
  Content content;
  Sums sums;
  Workspace<Space, T, Tune> work;
  std::int64_t lists, threads;

  /// Short lists, thread `w` of `threads`. Neighbouring threads of a GPU have neighbouring lists.
  KOKKOS_FUNCTION void operator()(std::int64_t w) const {
    constexpr int some = Tune::lists, ahead = Tune::ahead;
    constexpr bool together = is_host_space<Space>;
    const std::int64_t first = together ? w * some : w, step = together ? 1 : threads;
    Index start[some], length[some], longest = 0;
    T sum[some];
    for (int l = 0; l < some; ++l) {
      const std::int64_t i = first + l * step;
      start[l] = i < lists ? offsets(i) : Index(0);
      length[l] = i < lists ? offsets(i + 1) - start[l] : Index(0);
      sum[l] = 0;
      longest = Kokkos::max(longest, length[l]);
    }
    if (longest > Tune::longest_short) {
      longest = 0;
      for (int l = 0; l < some; ++l) {
        if (length[l] > Tune::longest_short) {
          if (length[l] > Tune::longest_medium)
            work.list.add_large(first + l * step);
          else
            work.list.add_medium(first + l * step);
          length[l] = 0;
        }
        longest = Kokkos::max(longest, length[l]);
      }
    }
    const T* const element = content.data();  // a plain pointer, so that compilers see the gather
    for (Index k = 0; k < longest; k += ahead)
      for (int u = 0; u < ahead; ++u)
        for (int l = 0; l < some; ++l)
          sum[l] += k + u < length[l] ? element[start[l] + k + u] : T(0);
    for (int l = 0; l < some; ++l)
      if (first + l * step < lists) sums(first + l * step) = sum[l];
  }

  /// The lists left over.
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int mediums = work.list.medium_count(), larges = work.list.large_count();
    if (mediums + larges == 0) return;
    const int worker = team.league_rank() * team.team_size() + team.team_rank();
    const int all = team.league_size() * team.team_size();
    for (int k = worker; k < mediums; k += all) {
      const std::int64_t i = work.list.medium(k);
      const T sum = sum_range(team, offsets(i), offsets(i + 1));
      Kokkos::single(Kokkos::PerThread(team), [&] { sums(i) = sum; });
    }
    std::int64_t before = 0;  // segments of the large lists so far, dealt out in turn
    for (int k = 0; k < larges; ++k) {
      const std::int64_t i = work.list.large(k), from = offsets(i), to = offsets(i + 1);
      const std::int64_t segments = (to - from + Tune::segment - 1) / Tune::segment;
      for (std::int64_t s = (worker + all - before % all) % all; s < segments; s += all) {
        const std::int64_t at = from + s * Tune::segment;
        const T sum = sum_range(team, at, Kokkos::min<std::int64_t>(at + Tune::segment, to));
        Kokkos::single(Kokkos::PerThread(team), [&] { work.partial(before + s) = sum; });
      }
      before += segments;
    }
    if (!work.list.leave(team)) return;
    before = 0;
    for (int k = 0; k < larges; ++k) {
      const std::int64_t i = work.list.large(k);
      const std::int64_t segments =
          (offsets(i + 1) - offsets(i) + Tune::segment - 1) / Tune::segment;
      T sum = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, segments),
          [&](std::int64_t s, T& total) { total += work.partial(before + s); }, sum);
      Kokkos::single(Kokkos::PerTeam(team), [&] { sums(i) = sum; });
      before += segments;
    }
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] { work.list.clear(); });
  }

  /// The sum of content[begin..end) by a worker's lanes.
  KOKKOS_FUNCTION T sum_range(const Member& team, std::int64_t begin, std::int64_t end) const {
    constexpr int lanes = Tune::lanes, parts = Tune::parts;
    T sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, lanes),
        [&](int lane, T& total) {
          T part[parts] = {};
          std::int64_t e = begin + lane;
          for (; e + (parts - 1) * lanes < end; e += parts * lanes)
            for (int p = 0; p < parts; ++p) part[p] += content(e + p * lanes);
          for (int p = 0; p < parts; ++p)
            if (e + p * lanes < end) part[p] += content(e + p * lanes);
          for (int p = 0; p < parts; ++p) total += part[p];
        },
        sum);
    return sum;
  }
};

template <class Space, class Offsets, class Content, class Sums, class Tune = Tuning<Space>>
void balanced(const Space& space, const Offsets& offsets, const Content& content, const Sums& sums,
              const Workspace<Space, typename Sums::non_const_value_type, Tune>& work) {
  using Kernel = Balanced<Space, Offsets, Content, Sums, Tune>;
  const std::int64_t lists = sums.extent(0), threads = (lists + Tune::lists - 1) / Tune::lists;
  const Kernel kernel{offsets, content, sums, work, lists, threads};
  Kokkos::parallel_for("parallax::ragged_sum::balanced::short", Range<Space>(space, 0, threads),
                       kernel);
  const int teams = std::max(1, space.concurrency() / (Tune::lanes * Tune::workers));
  Kokkos::parallel_for("parallax::ragged_sum::balanced::rest",
                       typename Kernel::Policy(space, teams, Tune::workers, Tune::lanes), kernel);
}

}  // namespace parallax::kernels::ragged_sum
