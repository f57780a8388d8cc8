// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The input of histogram, and the counts that are right, by a serial loop: one for each bin, then
// of what is outside, then NaN.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "data/events.hpp"
#include "exercise/api.hpp"

namespace parallax::histogram {

enum class Distribution { mass, normal, one_bin, edges };

/// Value i of the input, in GeV, on a grid of 1/16384 so that every processor has the same. `edges`
/// has what kernels get wrong: edges and middles of bins, from a bin below the first to three above
/// the last, half of them one rounding of f64 nearer to 0, infinities and NaN; and half of all
/// values on the lower edge, so that threads collide.
struct Masses {
  std::uint64_t seed;
  Distribution distribution;
  double low, high;
  int bins;
  std::int64_t begin;  ///< of this rank
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    const auto index = static_cast<std::uint64_t>(begin + i);
    if (distribution == Distribution::one_bin) return low + 0.4 * (high - low);
    const random::Block a = random::philox_block(seed, index, 201);
    if (distribution == Distribution::edges) {
      constexpr double infinity = Kokkos::Experimental::infinity_v<double>,
                       nan = Kokkos::Experimental::quiet_NaN_v<double>;
      if (a.bits64(1) % 2 == 0) return low;
      const auto k = static_cast<int>(a.bits64(0) % static_cast<std::uint64_t>(2 * bins + 12));
      if (k < 3) return k == 0 ? -infinity : k == 1 ? infinity : nan;
      const double edge = low + 0.5 * (k - 5) * (high - low) / bins;
      return a.bits64(1) / 2 % 2 == 0 ? edge : edge * (1 - 0x1p-52);
    }
    const random::Block b = random::philox_block(seed, index, 202);
    const double x =
        distribution == Distribution::mass
            ? data::detail::Generator::mass(a, b)
            : 0.5 * (low + high) +
                  0.25 * (high - low) * random::normal_pair_f64(a.bits64(0), a.bits64(1)).first;
    return Kokkos::round(x * 16384) / 16384;
  }
};

inline Distribution distribution_of(const std::string& name) {
  if (name == "one_bin") return Distribution::one_bin;
  if (name == "edges") return Distribution::edges;
  return name == "mass" ? Distribution::mass : Distribution::normal;
}

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
