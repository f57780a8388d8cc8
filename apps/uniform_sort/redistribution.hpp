// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// uniform_sort on several ranks: each sorts its keys, they find by bisection where to cut all of
// them so that each rank gets as many as it had, everybody sends everybody its part, and each sorts
// what it received. The cuts are exact, whatever the keys: of equal ones at a cut the lower ranks
// give theirs first. By way of pinned host memory.
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
#include "harness/division.hpp"
#include "harness/exercise.hpp"
#include "harness/ranks.hpp"

namespace parallax {

template <class T>
class Redistribution {
 public:
  /// Called by all ranks, as is all that follows.
  explicit Redistribution(const Share& share)
      : sent_("parallax::uniform_sort::sent", share.count),
        received_("parallax::uniform_sort::received", share.count) {
    for (const auto& of_rank : ranks::gathered({static_cast<double>(share.begin)}))
      begins_.push_back(static_cast<std::int64_t>(of_rank[0]));
  }

  /// `keys`, as many as `sorted`, becomes this rank's part of all ranks' sorted keys: a sorted run
  /// from each rank, one after the other.
  template <class Space, class Keys>
  void operator()(const Space& space, const Keys& sorted, const Keys& keys) const {
    Kokkos::deep_copy(space, sent_, sorted);
    space.fence("parallax::uniform_sort: before keys are sent");
    const auto parts = cuts();
    const auto mine = static_cast<std::size_t>(ranks::rank());
    std::vector<std::int64_t> to, from;
    for (std::size_t r = 0; r + 1 < parts.size(); ++r) to.push_back(parts[r + 1] - parts[r]);
    for (const auto& of_rank : ranks::gathered({to.begin(), to.end()}))
      from.push_back(static_cast<std::int64_t>(of_rank[mine]));
    ranks::all_to_all(sent_.data(), to, received_.data(), from, sizeof(T));
    Kokkos::deep_copy(space, keys, received_);
  }

  /// What each rank sends to each.
  [[nodiscard]] std::vector<Message> messages() const {
    const double bytes = static_cast<double>(sizeof(T) * sent_.size());
    return {{bytes / static_cast<double>(begins_.size()), Message::Pattern::to_all}};
  }

 private:
  using Order = kernels::RadixKey<T>;
  using Bits = typename Order::Bits;
  static Bits code(T key) { return Order::encode(std::bit_cast<Bits>(key)); }
  static T key_of(Bits code) { return std::bit_cast<T>(Order::decode(code)); }

  [[nodiscard]] std::int64_t own_below(T key) const {
    return std::lower_bound(begin(), end(), key) - begin();
  }
  [[nodiscard]] const T* begin() const { return sent_.data(); }
  [[nodiscard]] const T* end() const { return sent_.data() + sent_.size(); }

  /// The least and the largest key of all ranks.
  [[nodiscard]] std::pair<Bits, Bits> range() const {
    // As signed numbers of the same order, which are what ranks compare.
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    const auto encoded = [](Bits b) { return std::bit_cast<std::int64_t>(b ^ sign); };
    const bool any = begin() != end();
    std::int64_t ends[] = {
        any ? ~encoded(code(*begin())) : std::numeric_limits<std::int64_t>::min(),
        any ? encoded(code(*(end() - 1))) : std::numeric_limits<std::int64_t>::min()};
    ranks::reduce(ends, 2, bindings::Number::i64, bindings::Reduction::max);
    const auto decoded = [](std::int64_t e) {
      return static_cast<Bits>(std::bit_cast<std::uint64_t>(e) ^ sign);
    };
    return {decoded(~ends[0]), decoded(ends[1])};
  }

  /// Where this rank's sorted keys are cut: part r, from entry r to the next, goes to rank r.
  [[nodiscard]] std::vector<std::int64_t> cuts() const {
    const auto [least, largest] = range();
    // The key at each cut: the largest of which no more keys are less than belong before the cut.
    // Bit by bit, all cuts at once.
    std::vector<Bits> at(begins_.size());
    for (Bits bit = Order::sign; bit != 0; bit >>= 1) {
      std::vector<std::int64_t> below(begins_.size());
      for (std::size_t r = 1; r < at.size(); ++r) {
        const Bits next = at[r] | bit;
        if (next > least && next <= largest) below[r] = own_below(key_of(next));
      }
      ranks::sum(below.data(), below.size());
      for (std::size_t r = 1; r < at.size(); ++r)
        if ((at[r] | bit) <= largest && below[r] <= begins_[r]) at[r] |= bit;
    }
    std::vector<double> counts;  // of this rank's keys: less than that key, and equal to it
    for (std::size_t r = 1; r < at.size(); ++r) {
      const auto key = key_of(std::max(at[r], least));
      const auto equal = std::equal_range(begin(), end(), key);
      counts.push_back(static_cast<double>(equal.first - begin()));
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
    parts.push_back(static_cast<std::int64_t>(sent_.size()));
    return parts;
  }

  Kokkos::View<T*, Kokkos::SharedHostPinnedSpace> sent_, received_;
  std::vector<std::int64_t> begins_;  ///< where each rank's part of all keys begins
};

}  // namespace parallax
