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
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "device/radix_key.hpp"
#include "device/tuning.hpp"
#include "exercise/api.hpp"

namespace parallax {

/// Of sorted keys, how many are less than each code.
template <class Keys, class Codes, class Counts>
struct CountBelow {
  using Order = kernels::RadixKey<typename Keys::non_const_value_type>;
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
    space.fence("parallax::uniform_sort: before keys are sent");
    transport::of(space_name<Space>()).all_to_all(sorted.data(), to, parts.data(), from, sizeof(T));
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
    Kokkos::parallel_for(
        "parallax::uniform_sort::count_below",
        Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
            space, 0, static_cast<std::int64_t>(codes.size())),
        CountBelow<Keys, There<Bits>, There<std::int64_t>>{sorted, codes_there_, counts_there_});
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

}  // namespace parallax
