// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The counts that are right, by a serial loop: one for each bin, then of what is outside, then NaN.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "exercise/api.hpp"

namespace parallax::histogram {

/// One value after the other, from `begin` to before `end`.
template <class T, class H>
std::vector<std::int64_t> counts_of(const H& x, std::int64_t begin, std::int64_t end, int bins,
                                    double low, double high, bool clamp) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(bins) + 2);
  const T from = static_cast<T>(low), to = static_cast<T>(high);
  const T scale = static_cast<T>(bins / (high - low));
  for (std::int64_t i = begin; i < end; ++i) {
    const T value = x(i);
    int slot = bins;
    if (std::isnan(value))
      slot = bins + 1;
    else if (value >= from && value < to)
      slot = std::min(static_cast<int>((value - from) * scale), bins - 1);
    else if (clamp)
      slot = value < from ? 0 : bins - 1;
    ++counts[static_cast<std::size_t>(slot)];
  }
  return counts;
}

/// All values of this rank, in parts that the host's cores share.
template <class T, class H>
std::vector<std::int64_t> counts_of_this_rank(const H& x, int bins, double low, double high,
                                              bool clamp) {
  const time_spent::Timer referring(time_spent::Part::references);
  constexpr std::int64_t most_parts = 64, least = 1 << 16;
  const auto n = static_cast<std::int64_t>(x.extent(0));
  const std::int64_t size = std::max(least, (n + most_parts - 1) / most_parts);
  std::vector<std::vector<std::int64_t>> parts(static_cast<std::size_t>((n + size - 1) / size));
  check::on_all_cores(static_cast<std::int64_t>(parts.size()), [&](std::int64_t p) {
    parts[static_cast<std::size_t>(p)] =
        counts_of<T>(x, p * size, std::min(n, (p + 1) * size), bins, low, high, clamp);
  });
  std::vector<std::int64_t> counts(static_cast<std::size_t>(bins) + 2);
  for (const auto& part : parts)
    for (std::size_t k = 0; k < counts.size(); ++k) counts[k] += part[k];
  return counts;
}

/// All values of all ranks, which tell each other by another way than the kernels' sums take.
template <class T, class H>
std::vector<std::int64_t> counts_of_all_ranks(const H& x, int bins, double low, double high,
                                              bool clamp) {
  const auto own = counts_of_this_rank<T>(x, bins, low, high, clamp);
  std::vector<std::int64_t> all(own.size());
  for (const auto& counts : ranks::gathered({own.begin(), own.end()}))
    for (std::size_t k = 0; k < all.size(); ++k) all[k] += static_cast<std::int64_t>(counts[k]);
  return all;
}

}  // namespace parallax::histogram
