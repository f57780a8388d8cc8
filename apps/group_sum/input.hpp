// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// group_sum: tables whose sums are exact in any order of the additions.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "data/events.hpp"
#include "exercise/api.hpp"

namespace parallax::group_sum {

/// Keys start above what 32 bits hold, so that a kernel which truncates them is found out.
inline constexpr std::int64_t first_key = (std::int64_t{1} << 32) + 7;

/// This rank's keys. Group 0 is the last group of the rank before.
template <class Space>
struct Keys {
  data::Array<Space, std::int64_t> key;
  std::int64_t first, groups;
};

/// Sorted keys, with Poisson distributed steps.
template <class Space>
Keys<Space> sorted_keys(const Space& space, const Parameters& parameters) {
  const Share share = parameters.share("n");
  const auto offsets =
      data::list_offsets(space, share.begin, share.count, std::max<std::int64_t>(share.total, 1),
                         {parameters.seed(), parameters.real("mean"), 0, 0});
  std::int32_t steps = 0;
  Kokkos::deep_copy(steps, Kokkos::subview(offsets, share.count));
  const std::int64_t first = first_key + data::before_this_rank(steps);
  const auto key = inputs::array<std::int64_t>(
      space, "keys", share.count, KOKKOS_LAMBDA(std::int64_t i) { return first + offsets(i + 1); });
  return {key, first, share.total > 0 ? std::int64_t{steps} + 1 : 0};
}

/// Where row i of a table in random order comes from: a permutation of 0 .. n - 1 by four rounds
/// of a Feistel network over the next even power of two, walked until it falls inside.
struct Shuffled {
  std::uint64_t seed;
  std::int64_t n;
  int half = 1;  ///< bits of each half
  Shuffled(std::int64_t from, std::int64_t rows) : seed(static_cast<std::uint64_t>(from)), n(rows) {
    while ((std::int64_t{1} << (2 * half)) < n) ++half;
  }
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
    auto x = static_cast<std::uint64_t>(i);
    do {
      std::uint64_t left = x >> half, right = x & mask;
      for (std::uint64_t round = 0; round < 4; ++round) {
        const std::uint64_t mixed =
            left ^ (random::philox_block(seed, right, 311 + round).bits64(0) & mask);
        left = right;
        right = mixed;
      }
      x = (left << half) | right;
    } while (x >= static_cast<std::uint64_t>(n));
    return static_cast<std::int64_t>(x);
  }
};

/// The same keys in random order.
template <class Space>
data::Array<Space, std::int64_t> shuffled(const Space& space,
                                          const data::Array<Space, std::int64_t>& key,
                                          std::int64_t seed) {
  const auto n = static_cast<std::int64_t>(key.extent(0));
  const Shuffled source(seed, n);
  return inputs::array<std::int64_t>(
      space, "shuffled keys", n, KOKKOS_LAMBDA(std::int64_t i) { return key(source(i)); });
}

/// A step so coarse that the sums of `rows` rows are exact in T, in any order: the magnitudes of a
/// group's values sum to less than 32 a row, and for few rows to less than 2^14.
template <class T>
double step_for(std::int64_t rows) {
  const double sum = std::max(0x1p14, 32 * static_cast<double>(rows));
  return std::max(0x1p-10, std::exp2(std::ceil(std::log2(sum)) - std::numeric_limits<T>::digits));
}

/// Column c of row i: N(0, 10) for the first three, N(20, 10) for the last, rounded to `step`s.
struct Column {
  std::uint64_t seed;
  std::int64_t begin;
  int column;
  double step;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    const auto block = random::philox_block(seed, static_cast<std::uint64_t>(begin + i),
                                            301 + static_cast<std::uint64_t>(column));
    const double x = 10 * random::normal_pair_f64(block.bits64(0), block.bits64(1)).first;
    return Kokkos::round((column == 3 ? x + 20 : x) / step) * step;
  }
};

}  // namespace parallax::group_sum
