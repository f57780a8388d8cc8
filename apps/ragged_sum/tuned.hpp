// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// ragged_sum, tuned: `balanced` cuts the work and not the lists. Short lists are summed by threads,
// several each, and whoever meets a long one leaves it to a second kernel, which splits the
// longest by elements among all workers.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "device/short_sum.hpp"
#include "device/tuning.hpp"
#include "device/worklist.hpp"
#include "ragged_sum/lesson.hpp"

namespace parallax::kernels::ragged_sum {

/// How `balanced` is cut.
template <class Space>
struct Tuning {
  /// Short lists of a thread. A CPU sums them one after the other; on a GPU a thread sums them side
  /// by side, and asks for `ahead` elements of each before it adds the first.
  static constexpr bool side_by_side = !is_host_space<Space>;
  static constexpr int lists = side_by_side ? 4 : 32, ahead = 2;
  static constexpr int longest_short = side_by_side ? 64 : 512, longest_medium = 8192;
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

  /// Short lists, thread `w` of `threads`.
  KOKKOS_FUNCTION void operator()(std::int64_t w) const {
    if constexpr (Tune::side_by_side)
      side_by_side(w);
    else
      KOKKOS_IF_ON_HOST((one_by_one(w * Tune::lists, Kokkos::min(lists, (w + 1) * Tune::lists));))
  }

  /// Four lists' loads are in flight together. Neighbouring threads have neighbouring lists.
  KOKKOS_FUNCTION void side_by_side(std::int64_t w) const {
    constexpr int some = Tune::lists, ahead = Tune::ahead;
    Index start[some], length[some], longest = 0;
    T sum[some];
    for (int l = 0; l < some; ++l) {
      const std::int64_t i = w + l * threads;
      start[l] = i < lists ? offsets(i) : Index(0);
      length[l] = i < lists ? offsets(i + 1) - start[l] : Index(0);
      sum[l] = 0;
      longest = Kokkos::max(longest, length[l]);
    }
    if (longest > Tune::longest_short) {
      longest = 0;
      for (int l = 0; l < some; ++l) {
        if (length[l] > Tune::longest_short) {
          leave(w + l * threads, length[l]);
          length[l] = 0;
        }
        longest = Kokkos::max(longest, length[l]);
      }
    }
    const T* const element = content.data();
    for (Index k = 0; k < longest; k += ahead)
      for (int u = 0; u < ahead; ++u)
        for (int l = 0; l < some; ++l)
          sum[l] += k + u < length[l] ? element[start[l] + k + u] : T(0);
    for (int l = 0; l < some; ++l)
      if (w + l * threads < lists) sums(w + l * threads) = sum[l];
  }

  /// No branch depends on the length of a list that is short (short_sum.hpp).
  void one_by_one(std::int64_t first, std::int64_t end) const {
    const T* const element = content.data();
    const auto safe = static_cast<std::int64_t>(content.extent(0)) - bindings::read_beyond;
    for (std::int64_t i = first; i < end; ++i) {
      const Index from = offsets(i), to = offsets(i + 1);
      if (to - from > Tune::longest_short) {
        leave(i, to - from);
      } else if (to <= safe) {
        sums(i) = bindings::short_sum(element + from, static_cast<int>(to - from));
      } else {
        T sum = 0;
        for (Index e = from; e < to; ++e) sum += element[e];
        sums(i) = sum;
      }
    }
  }

  /// To the second kernel.
  KOKKOS_FUNCTION void leave(std::int64_t list, Index length) const {
    if (length > Tune::longest_medium)
      work.list.add_large(list);
    else
      work.list.add_medium(list);
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
