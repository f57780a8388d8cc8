// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The input of ragged_sum, and the sums that are right.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "exercise/api.hpp"

namespace parallax::ragged_sum {

/// The grid of the content, as fine as T can hold: sums stay near 0, since m elements sum to
/// 4.6 sqrt(m) (root mean square), and eight times that has all its digits. So every sum is exact
/// in any order, the check needs no tolerance, and sums in a narrower type are wrong.
template <class T>
double unit_of(double elements) {
  int power = 0;
  (void)std::frexp(37 * std::sqrt(std::max(elements, 1.0)), &power);
  return std::ldexp(1.0, power - std::numeric_limits<T>::digits);
}

/// Content element i: an odd multiple of `unit` between -8 and 8, and never 0, so that no element
/// is lost unseen. The course's are 1.1, 2.2 ... 5.5.
struct Element {
  std::int64_t seed, begin;
  double unit;
  bool course;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    if (course) return 1.1 * static_cast<double>(begin + i + 1);
    const double place = Kokkos::floor(8 / unit * data::uniform_at<double>(seed, begin + i));
    return (2 * place + 1) * unit - 8;
  }
};

/// Where the course's lists begin, [[1.1, 2.2, 3.3], [], [4.4, 5.5]], and empty ones behind them;
/// `begin` is this rank's first list.
struct CourseOffset {
  std::int64_t begin;
  static KOKKOS_FUNCTION std::int32_t at(std::int64_t list) {
    return list == 0 ? 0 : list < 3 ? 3 : 5;
  }
  KOKKOS_FUNCTION std::int32_t operator()(std::int64_t i) const {
    return at(begin + i) - at(begin);
  }
};

/// The sum of each list, on the host.
template <class Offsets, class Content>
std::vector<double> sums_of(const Offsets& offsets, const Content& content) {
  const time_spent::Timer referring(time_spent::Part::references);
  constexpr std::int64_t stretch = 1024;  // lists that a core takes at a time
  const auto n = static_cast<std::int64_t>(offsets.extent(0)) - 1;
  std::vector<double> sums(static_cast<std::size_t>(n));
  check::on_all_cores((n + stretch - 1) / stretch, [&](std::int64_t s) {
    for (std::int64_t i = s * stretch; i < std::min(n, (s + 1) * stretch); ++i)
      for (auto e = offsets(i); e < offsets(i + 1); ++e)
        sums[static_cast<std::size_t>(i)] += static_cast<double>(content(e));
  });
  return sums;
}

}  // namespace parallax::ragged_sum
