// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// uniform_sort on several ranks: each sorts its keys, they find by bisection where to cut all of
// them so that each rank gets as many as it had, everybody sends everybody its part, and each
// merges what it received. The cuts are exact, whatever the keys: of equal ones at a cut the lower
// ranks give theirs first. From a device by way of pinned host memory.
//
// What is sent: of n keys on each of R ranks about n (R - 1) / R, once; for the cuts, a sum of R -
// 1 counts for each bit of a key.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "device/radix_key.hpp"
#include "device/tuning.hpp"
#include "harness/division.hpp"
#include "harness/exercise.hpp"
#include "harness/ranks.hpp"

namespace parallax {

template <class T>
class Redistribution {
 public:
  /// Called by all ranks, as is all that follows. A host's keys are sent from where they lie.
  Redistribution(const Share& share, bool on_host)
      : count_(share.count),
        sent_("parallax::uniform_sort::sent", on_host ? 0 : share.count),
        received_("parallax::uniform_sort::received", on_host ? 0 : share.count) {
    for (const auto& of_rank : ranks::gathered({static_cast<double>(share.begin)}))
      begins_.push_back(static_cast<std::int64_t>(of_rank[0]));
  }

  /// `parts`, as many as `sorted`, becomes this rank's part of all ranks' sorted keys: a sorted run
  /// from each rank, one after the other. Returns where each begins, and how many keys there are.
  template <class Space, class Keys>
  std::vector<std::int64_t> operator()(const Space& space, const Keys& sorted,
                                       const Keys& parts) const {
    constexpr bool on_host = kernels::is_host_space<Space>;
    if constexpr (!on_host) Kokkos::deep_copy(space, sent_, sorted);
    space.fence("parallax::uniform_sort: before keys are sent");
    const T* own = sent_.data();
    T* others = received_.data();
    if constexpr (on_host) own = sorted.data(), others = parts.data();
    const auto at = cuts(own, own + count_);
    const auto mine = static_cast<std::size_t>(ranks::rank());
    std::vector<std::int64_t> to, from;
    for (std::size_t r = 0; r + 1 < at.size(); ++r) to.push_back(at[r + 1] - at[r]);
    for (const auto& of_rank : ranks::gathered({to.begin(), to.end()}))
      from.push_back(static_cast<std::int64_t>(of_rank[mine]));
    ranks::all_to_all(own, to, others, from, sizeof(T));
    if constexpr (!on_host) Kokkos::deep_copy(space, parts, received_);
    std::vector<std::int64_t> ends{0};
    for (const auto keys : from) ends.push_back(ends.back() + keys);
    return ends;
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
  static T key_of(Bits code) { return std::bit_cast<T>(Order::decode(code)); }

  /// The least and the largest key of all ranks.
  [[nodiscard]] static std::pair<Bits, Bits> range(const T* begin, const T* end) {
    // As signed numbers of the same order, which are what ranks compare.
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    const auto encoded = [](Bits b) { return std::bit_cast<std::int64_t>(b ^ sign); };
    const bool any = begin != end;
    std::int64_t ends[] = {
        any ? ~encoded(code(*begin)) : std::numeric_limits<std::int64_t>::min(),
        any ? encoded(code(*(end - 1))) : std::numeric_limits<std::int64_t>::min()};
    ranks::reduce(ends, 2, bindings::Number::i64, bindings::Reduction::max);
    const auto decoded = [](std::int64_t e) {
      return static_cast<Bits>(std::bit_cast<std::uint64_t>(e) ^ sign);
    };
    return {decoded(~ends[0]), decoded(ends[1])};
  }

  /// Where this rank's sorted keys, [begin, end), are cut: part r, from entry r to the next, goes
  /// to rank r.
  [[nodiscard]] std::vector<std::int64_t> cuts(const T* begin, const T* end) const {
    const auto [least, largest] = range(begin, end);
    // The key at each cut: the largest of which no more keys are less than belong before the cut.
    // Bit by bit, all cuts at once.
    std::vector<Bits> at(begins_.size());
    for (Bits bit = Order::sign; bit != 0; bit >>= 1) {
      std::vector<std::int64_t> below(begins_.size());
      for (std::size_t r = 1; r < at.size(); ++r) {
        const Bits next = at[r] | bit;
        if (next > least && next <= largest)
          below[r] = std::lower_bound(begin, end, key_of(next)) - begin;
      }
      ranks::sum(below.data(), below.size());
      for (std::size_t r = 1; r < at.size(); ++r)
        if ((at[r] | bit) <= largest && below[r] <= begins_[r]) at[r] |= bit;
    }
    std::vector<double> counts;  // of this rank's keys: less than that key, and equal to it
    for (std::size_t r = 1; r < at.size(); ++r) {
      const auto key = key_of(std::max(at[r], least));
      const auto equal = std::equal_range(begin, end, key);
      counts.push_back(static_cast<double>(equal.first - begin));
      counts.push_back(static_cast<double>(equal.second - equal.first));
    }
    const auto all = ranks::gathered(counts);
    std::vector<std::int64_t> parts{0};
    for (std::size_t r = 1; r < at.size(); ++r) {
      double wanted = static_cast<double>(begins_[r]);  // of the equal keys, by the ranks in turn
      for (const auto& of_rank : all) wanted -= of_rank[2 * r - 2];
      for (int s = 0; s < ranks::rank(); ++s) wanted -= all[static_cast<std::size_t>(s)][2 * r - 1];
      const double taken = std::clamp(wanted, 0.0, counts[2 * r - 1]);
      parts.push_back(static_cast<std::int64_t>(counts[2 * r - 2] + taken));
    }
    parts.push_back(count_);
    return parts;
  }

  std::int64_t count_;
  Kokkos::View<T*, Kokkos::SharedHostPinnedSpace> sent_, received_;
  std::vector<std::int64_t> begins_;  ///< where each rank's part of all keys begins
};

}  // namespace parallax
