// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The sum that is right, and how large it got.
#pragma once

#include <cmath>
#include <cstdint>

#include "exercise/api.hpp"

namespace parallax::tree_sum {

/// A running sum with what its roundings lost: Neumaier's compensated summation.
struct Compensated {
  double sum = 0, lost = 0;
  void operator+=(double x) {
    const double next = sum + x;
    lost += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
  }
  Compensated operator+(const Compensated& other) const {
    Compensated both = *this;
    both += other.sum;
    both.lost += other.lost;
    return both;
  }
};

/// The sum over all ranks with an error of one rounding, from the compensated sums of blocks.
struct Reference {
  double sum = 0;
  double magnitude = 0;  ///< the sum of absolute values

  template <class A>
  explicit Reference(const A& a) {
    const time_spent::Timer referring(time_spent::Part::references);
    const auto n = static_cast<std::int64_t>(a.extent(0));
    const auto at = [&](std::int64_t i) { return static_cast<double>(a(i)); };
    const Compensated own = check::sum<Compensated>(n, at);
    Compensated all;
    for (const auto& part : ranks::gathered({own.sum, own.lost})) {
      all += part[0];
      all.lost += part[1];
    }
    sum = all.sum + all.lost;
    magnitude = ranks::total(check::sum(n, [&](std::int64_t i) { return std::abs(at(i)); }));
  }
};

}  // namespace parallax::tree_sum
