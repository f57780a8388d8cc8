// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "data/events.hpp"

namespace parallax::data::detail {

std::vector<std::uint64_t> poisson_table(double mean) {
  // Terms by logarithms, since e^-mean underflows for large means; up to where what is left is
  // below 2^-53.
  std::vector<std::uint64_t> table;
  double sum = 0;
  for (int k = 0;; ++k) {
    const double term = mean > 0 ? std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0))
                                 : (k == 0 ? 1.0 : 0.0);
    sum += term;
    table.push_back(static_cast<std::uint64_t>(std::min(sum, 1.0) * 0x1p53));
    if (k > mean && term < 0x1p-54) break;
  }
  table.back() = std::uint64_t{1} << 53;
  return table;
}

}  // namespace parallax::data::detail
