// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "harness/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace parallax {
namespace {

/// Sets up to this size get the exact distribution, as in SciPy.
constexpr std::size_t small = 8;

struct Ranks {
  double u = 0;     ///< of the first set
  double ties = 0;  ///< sum of t^3 - t over groups of t equal values
};

Ranks rank(const std::vector<double>& a, const std::vector<double>& b) {
  struct Entry {
    double value;
    bool first;
  };
  std::vector<Entry> all;
  for (const double x : a) all.push_back({x, true});
  for (const double x : b) all.push_back({x, false});
  std::sort(all.begin(), all.end(),
            [](const Entry& x, const Entry& y) { return x.value < y.value; });
  Ranks result;
  double rank_sum = 0;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end].value == all[begin].value) ++end;
    const double t = static_cast<double>(end - begin);
    const double middle = static_cast<double>(begin + end + 1) / 2;  // ranks count from 1
    for (std::size_t k = begin; k < end; ++k) rank_sum += all[k].first ? middle : 0;
    result.ties += t * t * t - t;
  }
  const double n = static_cast<double>(a.size());
  result.u = rank_sum - n * (n + 1) / 2;
  return result;
}

/// The probability that U is `least` or more: counts the orders of n and m values by their U.
double exact_upper_tail(std::size_t n, std::size_t m, double least) {
  // ways[k]: choices of n ranks among n + m whose U is k. Gaussian binomial coefficients, one
  // factor (1 - q^(m+i)) / (1 - q^i) at a time.
  std::vector<double> ways(n * m + 1, 0.0);
  ways[0] = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t k = ways.size(); k-- > m + i;) ways[k] -= ways[k - m - i];
    for (std::size_t k = i; k < ways.size(); ++k) ways[k] += ways[k - i];
  }
  double all = 0, tail = 0;
  for (std::size_t k = 0; k < ways.size(); ++k) {
    all += ways[k];
    if (static_cast<double>(k) >= least) tail += ways[k];
  }
  return tail / all;
}

double normal_upper_tail(double n, double m, double u, double ties) {
  const double total = n + m;
  const double variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)));
  if (variance <= 0) return 0.5;  // every value is the same
  const double z = (u - n * m / 2 - 0.5) / std::sqrt(variance);
  return std::erfc(z / std::sqrt(2.0)) / 2;
}

}  // namespace

RankTest rank_test(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.empty() || b.empty()) return {};
  const auto ranks = rank(a, b);
  const double n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  const bool exact = ranks.ties == 0 && std::min(a.size(), b.size()) <= small;
  const auto two_sided = [&](double u) {
    const double larger = std::max(u, n * m - u);
    const double tail =
        exact ? exact_upper_tail(std::min(a.size(), b.size()), std::max(a.size(), b.size()), larger)
              : normal_upper_tail(n, m, larger, ranks.ties);
    return std::min(1.0, 2 * tail);
  };
  return {ranks.u, two_sided(ranks.u), two_sided(n * m)};
}

}  // namespace parallax
