// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// uniform_sort on several ranks: each sorts its keys, they find by bisection where to cut all of
// them so that each rank gets the number that it had, all exchange their parts, and each
// merges what it received. The cuts are exact, whatever the keys: of equal ones at a cut the lower
// ranks give theirs first.
//
// What is sent: of n keys on each of R ranks about n (R - 1) / R, once; for the cuts, some sums of
// R - 1 counts, or of 15 times as many: four bits of a key at a time on a device, which asks all at
// once, and one on a host.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "device/radix_key.hpp"
#include "device/tuning.hpp"
#include "exercise/api.hpp"
#include "uniform_sort/lesson.hpp"

namespace parallax::kernels::uniform_sort {

/// How many keys a thread merges. A search among cold keys costs a core more than some thousand
/// merged ones. On a GPU neighbours read and write places `merge_stretch` keys apart: what all
/// of them have in hand must fit the cache.
template <class Space>
inline constexpr int merge_stretch = is_host_space<Space> ? 4096 : 4;

/// Merges run 2 p with run 2 p + 1, for each p. Run r is from bounds(r * step) to
/// bounds((r + 1) * step), and may have no keys at all.
template <class Keys, class Bounds>
struct MergeParts {
  Keys from, to;
  Bounds bounds;
  std::int64_t step, stretch, n;
  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    const std::int64_t last = Kokkos::min((thread + 1) * stretch, n);
    for (std::int64_t out = thread * stretch; out < last;) {
      // The last pair that begins at `out` or before: pairs without keys come before it.
      std::int64_t pair = 0, pairs = (bounds.extent_int(0) - 1) / (2 * step);
      while (pairs - pair > 1) {
        const std::int64_t guess = (pair + pairs) / 2;
        if (bounds(2 * step * guess) <= out)
          pair = guess;
        else
          pairs = guess;
      }
      const std::int64_t run = 2 * step * pair, end = bounds(run + 2 * step);
      const std::int64_t stop = Kokkos::min(last, end);
      merge_two(from, to, bounds(run), bounds(run + step), end, out, stop);
      out = stop;
    }
  }
};

/// Sorts `keys`, which the ranks sent: run r, from ends[r] to ends[r + 1], is sorted. The first of
/// `ends` is 0 and the last the number of keys. `buffer` is as long as `keys`; the result is in one
/// of them. Runs are merged two and two like the lesson's, all at once: for R ranks the keys make
/// log2(R) trips through memory.
template <class Space, class Keys>
Keys merge_parts(const Space& space, Keys keys, Keys buffer,
                 const std::vector<std::int64_t>& ends) {
  const auto n = static_cast<std::int64_t>(keys.extent(0));
  const auto runs = static_cast<std::int64_t>(std::bit_ceil(ends.size() - 1));
  // Runs without keys fill up to a power of two, so that there are pairs on every trip.
  const Kokkos::View<std::int64_t*, typename Keys::memory_space> bounds(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::uniform_sort::bounds"),
      static_cast<std::size_t>(runs) + 1);
  const auto on_host = Kokkos::create_mirror_view(bounds);
  for (std::size_t r = 0; r < on_host.extent(0); ++r) on_host(r) = r < ends.size() ? ends[r] : n;
  Kokkos::deep_copy(space, bounds, on_host);
  space.fence("parallax::uniform_sort: bounds are on their way");
  const std::int64_t stretch = merge_stretch<Space>;
  for (std::int64_t step = 1; step < runs; step *= 2) {
    Kokkos::parallel_for(
        "parallax::uniform_sort::merge_parts", Range<Space>(space, 0, (n + stretch - 1) / stretch),
        MergeParts<Keys, decltype(bounds)>{keys, buffer, bounds, step, stretch, n});
    std::swap(keys, buffer);
  }
  return keys;
}

/// Of sorted keys, how many are less than each code.
template <class Keys, class Codes, class Counts>
struct CountBelow {
  using Order = RadixKey<typename Keys::non_const_value_type>;
  Keys sorted;
  Codes codes;
  Counts counts;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    std::int64_t below = 0, end = static_cast<std::int64_t>(sorted.extent(0));
    while (below < end) {
      const std::int64_t middle = (below + end) / 2;
      if (Order::encode(Kokkos::bit_cast<typename Order::Bits>(sorted(middle))) < codes(k))
        below = middle + 1;
      else
        end = middle;
    }
    counts(k) = below;
  }
};

}  // namespace parallax::kernels::uniform_sort

namespace parallax::uniform_sort {

template <class Space, class T>
class Redistribution {
 public:
  using Keys = Kokkos::View<T*, typename Space::memory_space>;

  /// Called by all ranks, as is all that follows.
  explicit Redistribution(const Share& share)
      : count_(share.count),
        codes_("parallax::uniform_sort::codes", most_asked()),
        counts_("parallax::uniform_sort::counts", most_asked()),
        codes_there_(Kokkos::create_mirror_view(typename Space::memory_space{}, codes_)),
        counts_there_(Kokkos::create_mirror_view(typename Space::memory_space{}, counts_)) {
    for (const auto& of_rank : ranks::gathered({static_cast<double>(share.begin)}))
      begins_.push_back(static_cast<std::int64_t>(of_rank[0]));
  }

  /// `parts`, of the length of `sorted`, becomes this rank's part of all ranks' sorted keys: a
  /// sorted run from each rank, one after the other. Returns where each begins, and how many keys
  /// there are.
  std::vector<std::int64_t> operator()(const Space& space, const Keys& sorted,
                                       const Keys& parts) const {
    const auto at = cuts(space, sorted);
    const auto mine = static_cast<std::size_t>(ranks::rank());
    std::vector<std::int64_t> to, from;
    for (std::size_t r = 0; r + 1 < at.size(); ++r) to.push_back(at[r + 1] - at[r]);
    for (const auto& of_rank : ranks::gathered({to.begin(), to.end()}))
      from.push_back(static_cast<std::int64_t>(of_rank[mine]));
    transport::of(space_name<Space>())
        .all_to_all(sorted.data(), to, parts.data(), from, sizeof(T), {});
    std::vector<std::int64_t> ends{0};
    for (const auto keys : from) ends.push_back(ends.back() + keys);
    return ends;
  }

  /// What sorts the keys of all ranks, where sorter() sorts this rank's in `keys` or in `buffer`;
  /// both return the array that they end in.
  ///
  /// On a device, merging the parts of four ranks is two trips through memory at 3.4 ms, where the
  /// library's radix sort takes 5.9 ms (an H200, 1e8 keys in f64): a radix sort sorts again.
  template <class Sorter>
  std::function<Keys()> sorts(const Space& space, const Keys& keys, const Keys& buffer,
                              bool by_radix, const Sorter& sorter) const {
    const bool again = by_radix && !kernels::is_host_space<Space> && ranks::size() > 2;
    return [=, redistribute = *this] {
      const Keys own = sorter(), parts = own.data() == keys.data() ? buffer : keys;
      const auto ends = redistribute(space, own, parts);
      if (!again) return kernels::uniform_sort::merge_parts(space, parts, own, ends);
      if (parts.data() != keys.data()) Kokkos::deep_copy(space, keys, parts);
      return Keys(sorter());
    };
  }

  /// What each rank sends to each.
  [[nodiscard]] std::vector<Message> messages() const {
    const double bytes = static_cast<double>(sizeof(T)) * static_cast<double>(count_);
    return {{bytes / static_cast<double>(begins_.size()), Message::Pattern::to_all}};
  }

 private:
  using Order = kernels::RadixKey<T>;
  using Bits = typename Order::Bits;
  static Bits code(T key) { return Order::encode(std::bit_cast<Bits>(key)); }
  static constexpr int bits_at_once = kernels::is_host_space<Space> ? 1 : 4;
  static constexpr Bits guesses = (Bits{1} << bits_at_once) - 1;
  /// At every cut each guess, or at the end two codes.
  static std::size_t most_asked() {
    return static_cast<std::size_t>(ranks::size()) * std::max<std::size_t>(guesses, 2);
  }

  [[nodiscard]] std::vector<std::int64_t> count_below(const Space& space, const Keys& sorted,
                                                      const std::vector<Bits>& codes) const {
    std::copy(codes.begin(), codes.end(), codes_.data());
    Kokkos::deep_copy(space, codes_there_, codes_);
    Kokkos::parallel_for("parallax::uniform_sort::count_below",
                         kernels::uniform_sort::Range<Space>(space, 0, codes.size()),
                         kernels::uniform_sort::CountBelow<Keys, There<Bits>, There<std::int64_t>>{
                             sorted, codes_there_, counts_there_});
    Kokkos::deep_copy(space, counts_, counts_there_);
    space.fence("parallax::uniform_sort: the keys below are counted");
    return {counts_.data(), counts_.data() + codes.size()};
  }

  /// The least and the largest code of all ranks' keys.
  [[nodiscard]] std::pair<Bits, Bits> range(const Space& space, const Keys& sorted) const {
    // As signed numbers of the same order, which are what ranks compare.
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    const auto signed_code = [&](std::int64_t k) {
      T key{};
      Kokkos::deep_copy(space, Kokkos::View<T, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&key),
                        Kokkos::subview(sorted, k));
      space.fence("parallax::uniform_sort: one key");
      return std::bit_cast<std::int64_t>(code(key) ^ sign);
    };
    constexpr auto none = std::numeric_limits<std::int64_t>::min();
    std::int64_t ends[] = {count_ > 0 ? ~signed_code(0) : none,
                           count_ > 0 ? signed_code(count_ - 1) : none};
    ranks::reduce(ends, 2, bindings::Number::i64, bindings::Reduction::max);
    const auto decoded = [](std::int64_t e) {
      return static_cast<Bits>(std::bit_cast<std::uint64_t>(e) ^ sign);
    };
    return {decoded(~ends[0]), decoded(ends[1])};
  }

  /// Where this rank's sorted keys are cut: part r, from entry r to the next, goes to rank r.
  [[nodiscard]] std::vector<std::int64_t> cuts(const Space& space, const Keys& sorted) const {
    const auto [least, largest] = range(space, sorted);
    const std::size_t parts = begins_.size();
    // The code at each cut: the largest with no more keys below it than belong before it.
    // From its first bits to its last, all cuts at once.
    std::vector<Bits> at(parts);
    for (int shift = 8 * sizeof(Bits) - bits_at_once; shift >= 0; shift -= bits_at_once) {
      // Nothing is below those that are too small, and those too large are not taken.
      std::vector<Bits> asked;
      const auto guess = [&](std::size_t r, Bits g) -> Bits { return at[r] | g << shift; };
      for (std::size_t r = 1; r < parts; ++r)
        for (Bits g = 1; g <= guesses; ++g) asked.push_back(std::min(guess(r, g), largest));
      if (least == largest) break;
      auto below = count_below(space, sorted, asked);
      ranks::sum(below.data(), below.size());
      for (std::size_t r = 1; r < parts; ++r) {
        Bits taken = 0;
        for (Bits g = 1; g <= guesses; ++g)
          if (guess(r, g) <= largest && below[(r - 1) * guesses + g - 1] <= begins_[r]) taken = g;
        at[r] = guess(r, taken);
      }
    }
    // Of this rank's keys: how many are less than that one, and how many equal to it.
    std::vector<Bits> asked;
    for (std::size_t r = 1; r < parts; ++r) {
      const Bits cut = std::max(at[r], least);
      asked.push_back(cut);
      asked.push_back(cut + 1);
    }
    const auto below = count_below(space, sorted, asked);
    std::vector<double> counts;
    for (std::size_t r = 1; r < parts; ++r) {
      const bool last = asked[2 * r - 1] == 0;  // no code is larger
      const auto less = below[2 * r - 2], upto = last ? count_ : below[2 * r - 1];
      counts.push_back(static_cast<double>(less));
      counts.push_back(static_cast<double>(upto - less));
    }
    const auto all = ranks::gathered(counts);
    std::vector<std::int64_t> entries{0};
    for (std::size_t r = 1; r < parts; ++r) {
      double wanted = static_cast<double>(begins_[r]);  // of the equal keys, by the ranks in turn
      for (const auto& of_rank : all) wanted -= of_rank[2 * r - 2];
      for (int s = 0; s < ranks::rank(); ++s) wanted -= all[static_cast<std::size_t>(s)][2 * r - 1];
      const double taken = std::clamp(wanted, 0.0, counts[2 * r - 1]);
      entries.push_back(static_cast<std::int64_t>(counts[2 * r - 2] + taken));
    }
    entries.push_back(count_);
    return entries;
  }

  template <class U>
  using Here = Kokkos::View<U*, Kokkos::SharedHostPinnedSpace>;
  template <class U>
  using There = Kokkos::View<U*, typename Space::memory_space>;

  std::int64_t count_;
  Here<Bits> codes_;
  Here<std::int64_t> counts_;
  There<Bits> codes_there_;
  There<std::int64_t> counts_there_;
  std::vector<std::int64_t> begins_;  ///< where each rank's part of all keys begins
};

}  // namespace parallax::uniform_sort
