// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// uniform_sort on several ranks, for any keys (splitters.hpp is quicker for most): each sorts its
// keys, they find where to cut all of them so that each rank gets the number that it had, all
// exchange their parts, and each merges what it received. The cuts are exact: of equal keys the
// lower ranks give theirs first.
//
// What is sent: of n keys on each of R ranks about n (R - 1) / R, once; for the cuts, samples of
// some thousand keys, two or three times.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "device/tuning.hpp"
#include "exercise/api.hpp"
#include "uniform_sort/lesson.hpp"
#include "uniform_sort/partition.hpp"
#include "uniform_sort/unsorted.hpp"

namespace parallax::kernels::uniform_sort {

/// How many keys a thread merges. A search among cold keys costs a core more than some thousand
/// merged ones. On a GPU neighbours read and write places `merge_stretch` keys apart: what all
/// of them have in hand must fit the cache.
template <class Space>
inline constexpr int merge_stretch = is_host_space<Space> ? 4096 : 4;

/// Two neighbouring sorted runs, [begin, middle) and [middle, end), of an array.
struct Runs {
  std::int64_t begin, middle, end;
};

/// A thread makes `stretch` keys of the merged runs.
template <class Keys>
struct MergeStretch {
  Keys from, to;
  Runs runs;
  std::int64_t stretch;
  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    const std::int64_t out = runs.begin + thread * stretch;
    merge_two(from, to, runs.begin, runs.middle, runs.end, out,
              Kokkos::min(out + stretch, runs.end));
  }
};

/// A team merges a tile of the result in its scratch memory, into which it reads what the tile is
/// made of (Green, McColl and Bader, 2012, "GPU merge path"). A thread's keys are an odd number, so
/// that its neighbours' are in other banks.
struct MergeTile {
  static constexpr int team_size = 256, each = 7, keys = team_size * each;
  static std::int64_t count(std::int64_t n) { return (n + keys - 1) / keys; }
};

/// Before each tile, and behind the last: how many keys of the first run come before it.
template <class Keys, class Splits>
struct SplitRuns {
  Keys from;
  Runs runs;
  Splits splits;
  KOKKOS_FUNCTION void operator()(std::int64_t tile) const {
    const std::int64_t first = runs.middle - runs.begin, second = runs.end - runs.middle;
    const std::int64_t before = Kokkos::min(tile * MergeTile::keys, first + second);
    std::int64_t low = Kokkos::max<std::int64_t>(0, before - second);
    std::int64_t high = Kokkos::min(before, first);
    while (low < high) {
      const std::int64_t guess = (low + high) / 2;
      if (from(runs.middle + before - 1 - guess) < from(runs.begin + guess))
        high = guess;
      else
        low = guess + 1;
    }
    splits(tile) = low;
  }
};

template <class Space, class Keys, class Splits>
struct MergeTiles {
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;
  using Scratch = Kokkos::View<typename Keys::non_const_value_type*,
                               typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  Keys from, to;
  Runs runs;
  Splits splits;
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Scratch parts(team.team_scratch(0), MergeTile::keys),
        merged(team.team_scratch(0), MergeTile::keys);
    const std::int64_t tile = team.league_rank(), out = runs.begin + tile * MergeTile::keys;
    const std::int64_t first = runs.begin + splits(tile);
    const std::int64_t second = runs.middle + (out - runs.begin) - splits(tile);
    const auto count = static_cast<int>(Kokkos::min<std::int64_t>(MergeTile::keys, runs.end - out));
    const auto of_first = static_cast<int>(splits(tile + 1) - splits(tile));
    const auto all = Kokkos::TeamThreadRange(team, count);
    Kokkos::parallel_for(
        all, [&](int i) { parts(i) = from(i < of_first ? first + i : second + (i - of_first)); });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, MergeTile::team_size), [&](int thread) {
      const int begin = Kokkos::min(thread * MergeTile::each, count);
      merge_two(parts, merged, 0, of_first, count, begin,
                Kokkos::min(begin + MergeTile::each, count));
    });
    team.team_barrier();
    Kokkos::parallel_for(all, [&](int i) { to(out + i) = merged(i); });
  }
};

/// `splits` has a number for each tile, and one more.
template <class Space, class Keys, class Splits>
void merge_tiles(const Space& space, const Keys& from, const Keys& to, const Runs& runs,
                 const Splits& splits, int team_size = MergeTile::team_size) {
  using Merge = MergeTiles<Space, Keys, Splits>;
  const std::int64_t tiles = MergeTile::count(runs.end - runs.begin);
  Kokkos::parallel_for("parallax::uniform_sort::split_runs", Range<Space>(space, 0, tiles + 1),
                       SplitRuns<Keys, Splits>{from, runs, splits});
  Kokkos::TeamPolicy<Space> teams(space, static_cast<int>(tiles), team_size);
  teams.set_scratch_size(0, Kokkos::PerTeam(2 * Merge::Scratch::shmem_size(MergeTile::keys)));
  Kokkos::parallel_for("parallax::uniform_sort::merge_tiles", teams, Merge{from, to, runs, splits});
}

/// On hosts by stretches, on devices by tiles.
template <class Space, class Keys, class Splits>
void merge_runs(const Space& space, const Keys& from, const Keys& to, const Runs& runs,
                const Splits& splits) {
  const std::int64_t n = runs.end - runs.begin, stretch = merge_stretch<Space>;
  if (n == 0) return;
  if constexpr (is_host_space<Space>)
    Kokkos::parallel_for("parallax::uniform_sort::merge_stretch",
                         Range<Space>(space, 0, (n + stretch - 1) / stretch),
                         MergeStretch<Keys>{from, to, runs, stretch});
  else
    merge_tiles(space, from, to, runs, splits);
}

/// Sorts `keys`, which the ranks sent: run r, from ends[r] to ends[r + 1], is sorted. The first of
/// `ends` is 0 and the last the number of keys. `buffer` is as long as `keys`; the result is in one
/// of them. Runs are merged two and two: of R runs the keys make log2(R) trips through memory.
template <class Space, class Keys, class Splits>
Keys merge_parts(const Space& space, Keys keys, Keys buffer, std::vector<std::int64_t> ends,
                 const Splits& splits) {
  while (ends.size() > 2) {
    std::vector<std::int64_t> merged{0};
    for (std::size_t r = 0; r + 1 < ends.size(); r += 2) {
      const std::int64_t middle = ends[r + 1], end = ends[std::min(r + 2, ends.size() - 1)];
      merge_runs(space, keys, buffer, {ends[r], middle, end}, splits);
      merged.push_back(end);
    }
    ends = merged;
    std::swap(keys, buffer);
  }
  return keys;
}

/// Evenly spaced samples of stretches of sorted keys, as codes of the same order.
template <class Keys, class Stretches, class Codes>
struct Sample {
  Keys sorted;
  Stretches stretches;  ///< of each cut
  Codes codes;
  int most;  ///< of one stretch
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const auto& stretch = stretches(k / most);
    const std::int64_t i = k % most;
    if (i >= stretch.samples(most)) return;
    codes(k) = code_of(sorted(stretch.position(i, most)));
  }
};

}  // namespace parallax::kernels::uniform_sort

namespace parallax::uniform_sort {

/// Where among a rank's sorted keys a cut may be: at `low` to `high`.
struct Stretch {
  std::int64_t low, high;
  KOKKOS_FUNCTION std::int64_t samples(int most) const {
    return Kokkos::min<std::int64_t>(high - low, most);
  }
  KOKKOS_FUNCTION std::int64_t position(std::int64_t i, int most) const {
    return low + i * (high - low) / samples(most);
  }
};

/// One cut of all ranks' keys: `before` keys come before it. Keys are ordered by their codes,
/// equal ones by their ranks, then by their places.
class Cut {
 public:
  Cut(std::int64_t before, const std::vector<std::int64_t>& counts) : before_(before) {
    for (const auto count : counts) of_ranks.push_back({0, count});
  }
  std::vector<Stretch> of_ranks;

  [[nodiscard]] bool is_found() const {
    return std::all_of(of_ranks.begin(), of_ranks.end(),
                       [](const Stretch& s) { return s.low == s.high; });
  }
  /// By at most `most` samples of each rank's stretch: codes(r) points to the first of rank r. A
  /// key comes before the cut if fewer than `before` keys come before it, and of the keys of a rank
  /// at least `low` and at most `high` count for that. Stretches shrink to a `most / 4`th together.
  template <class Codes>
  void narrow(const Codes& codes, int most) {
    // How many keys come before sample i of rank r: at least and at most.
    const auto keys_before = [&](std::size_t r, std::int64_t i) {
      const auto code = codes(r)[i];
      std::int64_t least = 0, largest = 0;
      for (std::size_t q = 0; q < of_ranks.size(); ++q) {
        const auto& of = of_ranks[q];
        const std::int64_t n = of.samples(most);
        const auto* const begin = codes(q);
        const std::int64_t k = q == r  ? i
                               : q < r ? std::upper_bound(begin, begin + n, code) - begin
                                       : std::lower_bound(begin, begin + n, code) - begin;
        const std::int64_t up_to = k < n ? of.position(k, most) : of.high;
        least += q == r ? up_to : k > 0 ? of.position(k - 1, most) + 1 : of.low;
        largest += up_to;
      }
      return std::pair(least, largest);
    };
    auto narrowed = of_ranks;
    for (std::size_t r = 0; r < of_ranks.size(); ++r) {
      const auto first = [&](const auto& is_behind) {
        std::int64_t low = 0, high = of_ranks[r].samples(most);
        while (low < high) {
          const std::int64_t middle = (low + high) / 2;
          if (is_behind(keys_before(r, middle)))
            high = middle;
          else
            low = middle + 1;
        }
        return low;
      };
      const auto maybe = first([&](const auto& n) { return n.second >= before_; });
      const auto surely = first([&](const auto& n) { return n.first >= before_; });
      if (maybe > 0) narrowed[r].low = of_ranks[r].position(maybe - 1, most) + 1;
      if (surely < of_ranks[r].samples(most)) narrowed[r].high = of_ranks[r].position(surely, most);
    }
    of_ranks = narrowed;
  }

 private:
  std::int64_t before_;
};

template <class Space, class T>
class Redistribution {
 public:
  using Keys = Kokkos::View<T*, typename Space::memory_space>;

  /// Called by all ranks, as is all that follows.
  explicit Redistribution(const Share& share)
      : count_(share.count),
        most_(std::clamp(4096 / std::max(ranks::size() - 1, 1), 64, 4096)),
        stretches_("parallax::uniform_sort::stretches", ranks::size() - 1),
        codes_("parallax::uniform_sort::codes", (ranks::size() - 1) * most_),
        splits_("parallax::uniform_sort::splits",
                kernels::uniform_sort::MergeTile::count(share.count) + 1) {
    for (const auto& of_rank : ranks::gathered({static_cast<double>(share.begin)}))
      begins_.push_back(static_cast<std::int64_t>(of_rank[0]));
    begins_.push_back(share.total);
  }

  /// `parts`, of the length of `sorted`, becomes this rank's part of all ranks' sorted keys: a
  /// sorted run from each rank, one after the other. Returns where each begins, and how many keys
  /// there are.
  std::vector<std::int64_t> operator()(const Space& space, const Keys& sorted,
                                       const Keys& parts) const {
    const auto cut = cuts(space, sorted);
    const auto me = static_cast<std::size_t>(ranks::rank());
    bindings::Parts to, from;
    std::vector<std::int64_t> ends{0};
    for (std::size_t r = 0; r < cut.size() - 1; ++r) {
      const std::int64_t begin = cut[r].of_ranks[me].low;
      to.push_back({begin, cut[r + 1].of_ranks[me].low - begin});
      from.push_back({ends.back(), cut[me + 1].of_ranks[r].low - cut[me].of_ranks[r].low});
      ends.push_back(ends.back() + from.back().count);
    }
    transport::of(space_name<Space>())
        .all_to_all(sorted.data(), to, parts.data(), from, sizeof(T), {});
    return ends;
  }

  /// Sorts the keys of all ranks; `buffer` is no shorter. Returns the array that they end in.
  [[nodiscard]] Keys sorted(const Space& space, const Keys& keys, const Keys& buffer,
                            const Sorter<Space, T>& sorter) const {
    const Keys second =
        Kokkos::subview(buffer, Kokkos::pair<std::int64_t, std::int64_t>(0, count_));
    const Keys own = sorter({keys, second}), parts = own.data() == keys.data() ? second : keys;
    return kernels::uniform_sort::merge_parts(space, parts, own, (*this)(space, own, parts),
                                              splits_);
  }

  /// Where each rank's part of all keys begins, and their end.
  [[nodiscard]] const std::vector<std::int64_t>& begins() const { return begins_; }

  /// What each rank sends to each.
  [[nodiscard]] std::vector<Message> messages() const {
    const double bytes = static_cast<double>(sizeof(T)) * static_cast<double>(count_);
    return {{bytes / ranks::size(), Message::Pattern::to_all}};
  }

 private:
  /// Before each rank's part, and behind the last: where the sorted keys of all ranks are cut.
  [[nodiscard]] std::vector<Cut> cuts(const Space& space, const Keys& sorted) const {
    std::vector<std::int64_t> counts;
    for (std::size_t r = 0; r + 1 < begins_.size(); ++r)
      counts.push_back(begins_[r + 1] - begins_[r]);
    std::vector<Cut> all;
    for (const auto begin : begins_) all.emplace_back(begin, counts);
    for (auto& stretch : all.front().of_ranks) stretch.high = 0;
    for (auto& stretch : all.back().of_ranks) stretch.low = stretch.high;
    const auto me = static_cast<std::size_t>(ranks::rank());
    const std::size_t own = codes_.extent(0);
    std::vector<std::uint64_t> gathered(own * counts.size());
    while (!std::all_of(all.begin(), all.end(), [](const Cut& cut) { return cut.is_found(); })) {
      for (std::size_t r = 1; r + 1 < all.size(); ++r) stretches_(r - 1) = all[r].of_ranks[me];
      Kokkos::parallel_for("parallax::uniform_sort::sample",
                           kernels::uniform_sort::Range<Space>(space, 0, own),
                           kernels::uniform_sort::Sample<Keys, Here<Stretch>, Here<std::uint64_t>>{
                               sorted, stretches_, codes_, most_});
      space.fence("parallax::uniform_sort: the samples are there");
      ranks::communicator().all_gather(codes_.data(), gathered.data(), own * sizeof gathered[0]);
      for (std::size_t r = 1; r + 1 < all.size(); ++r)
        all[r].narrow(
            [&](std::size_t q) {
              return gathered.data() + q * own + (r - 1) * static_cast<std::size_t>(most_);
            },
            most_);
    }
    return all;
  }

  template <class U>
  using Here = Kokkos::View<U*, Kokkos::SharedHostPinnedSpace>;

  std::int64_t count_;
  int most_;  ///< samples for a cut
  Here<Stretch> stretches_;
  Here<std::uint64_t> codes_;
  Kokkos::View<std::int64_t*, typename Space::memory_space> splits_;
  std::vector<std::int64_t> begins_;
};

}  // namespace parallax::uniform_sort
