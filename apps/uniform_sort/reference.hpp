// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// uniform_sort: the keys by a serial generator, and whether all ranks together sorted them.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "device/split_mix64.hpp"
#include "exercise/api.hpp"

namespace parallax::uniform_sort {

/// Key i of this rank.
template <class T>
struct Expected {
  std::uint64_t seed;
  std::int64_t first;
  double low, high;
  T operator()(std::int64_t i) const {
    const auto k = static_cast<std::uint64_t>(first + i);
    if constexpr (std::is_floating_point_v<T>)
      return reference::uniform<T>(seed, k, static_cast<T>(low), static_cast<T>(high));
    else
      return reference::philox_bits<T>(seed, k);
  }
};

/// The bits of a key, as an integer of its size.
template <class T>
auto bits_of(T key) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  return std::bit_cast<Bits>(key);
}

/// A number that depends only on which keys there are and how often, not on where: the sum of each
/// one's hash.
template <class Keys>
std::uint64_t multiset(std::int64_t n, const Keys& keys) {
  return check::sum(n, [&](std::int64_t i) { return split_mix64(bits_of(keys(i))); });
}

/// Whether the ranks' numbers add up to 0 modulo 2^64. They ask each other, half by half, which
/// doubles can hold.
inline bool total_is_zero(std::uint64_t own) {
  std::uint64_t total = 0;
  for (const auto& of_rank :
       ranks::gathered({static_cast<double>(own >> 32), static_cast<double>(own & 0xffffffffu)}))
    total +=
        (static_cast<std::uint64_t>(of_rank[0]) << 32) + static_cast<std::uint64_t>(of_rank[1]);
  return total == 0;
}

/// A key as two doubles of the same order, which hold all of it.
template <class T>
std::pair<double, double> halves(T key) {
  if constexpr (sizeof(T) == 8 && !std::is_floating_point_v<T>)
    return {static_cast<double>(key >> 32), static_cast<double>(key & 0xffffffffu)};
  else
    return {static_cast<double>(key), 0};
}

/// Each rank's first key with the last of those before it, which all ranks tell each other.
template <class T>
Verdict ends_in_order(bool any, T first, T last) {
  std::pair<double, double> before;
  std::int64_t out_of_order = 0;
  bool none = true;
  for (const auto& rank :
       ranks::gathered({any ? 1.0 : 0.0, halves(first).first, halves(first).second,
                        halves(last).first, halves(last).second})) {
    if (rank[0] == 0) continue;
    if (!none && std::pair(rank[1], rank[2]) < before) ++out_of_order;
    before = {rank[3], rank[4]};
    none = false;
  }
  return check::number("each rank's first key with the last of the rank before it",
                       static_cast<double>(out_of_order), 0, 0);
}

/// Judges the keys of all ranks; `found` holds this rank's share. They must be in order, and be
/// the input's, as a multiset.
template <class Keys>
Verdict judge_order(const Keys& found, const Share& share, std::uint64_t input) {
  using T = typename Keys::non_const_value_type;
  const auto n = share.count;
  auto verdict =
      check::both(check::elements(
                      "every key with the one before it", n > 0 ? n - 1 : 0,
                      // No order of the sorts' own: of numbers, and none of them is NaN.
                      [&](std::int64_t i) { return found(i) <= found(i + 1) ? 0 : 1; },
                      [](std::int64_t) { return 0; }, 0.0),
                  check::number("the keys, as a multiset, with the input",
                                total_is_zero(multiset(n, found) - input) ? 0 : 1, 0, 0));
  verdict.result = {{"n", share.total}};
  const auto at = [&](const char* name, std::int64_t i) {  // of all ranks' keys
    const bool here = i >= share.begin && i - share.begin < n;
    verdict.result.emplace_back(
        name, ranks::total(here ? static_cast<double>(found(i - share.begin)) : 0));
  };
  if (share.total > 0) {
    at("first", 0);
    at("median", share.total / 2);
    at("last", share.total - 1);
  }
  if (!ranks::several()) return verdict;
  return check::both(verdict,
                     ends_in_order<T>(n > 0, n > 0 ? found(0) : T(0), n > 0 ? found(n - 1) : T(0)));
}

}  // namespace parallax::uniform_sort
