// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The input of scan, and the prefix sums that are right.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "exercise/api.hpp"

namespace parallax::scan {

inline constexpr int longest = 4;  ///< leptons of an event

/// Integers are the lengths of lists, a fifth of them empty; reals are uniform on [-1, 1).
template <class T>
struct Number {
  std::int64_t seed;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>((longest + 1) * data::uniform_at<double>(seed, i));
    else
      return 2 * data::uniform_at<T>(seed, i) - 1;
  }
};

/// All prefix sums, compensated (Neumaier), and which events are kept. All cores add up a stretch
/// of numbers each, and go through theirs again when they know where it begins.
struct Reference {
  std::vector<double> offsets;
  std::vector<std::int64_t> kept;

  /// Up to some number.
  struct Found {
    double sum = 0, lost = 0;
    std::size_t kept = 0;

    void add(double x) {
      const double next = sum + x;
      lost += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
      sum = next;
    }
  };

  template <class F>
  Reference(std::int64_t n, const F& number) : offsets(static_cast<std::size_t>(n) + 1) {
    const time_spent::Timer referring(time_spent::Part::references);
    constexpr std::int64_t stretch = 1 << 16;
    const auto stretches = (n + stretch - 1) / stretch;
    const auto keep = [](double x) { return x >= 2; };
    std::vector<Found> before(static_cast<std::size_t>(stretches) + 1);
    // Calls f(i, found) for the numbers of stretch s, found going along.
    const auto go_through = [&](std::int64_t s, Found found, const auto& f) {
      for (auto i = s * stretch; i < std::min(n, (s + 1) * stretch); ++i)
        f(static_cast<std::size_t>(i), found);
      return found;
    };
    check::on_all_cores(stretches, [&](std::int64_t s) {
      before[static_cast<std::size_t>(s) + 1] = go_through(s, {}, [&](std::size_t i, Found& found) {
        offsets[i] = static_cast<double>(number(static_cast<std::int64_t>(i)));
        found.kept += keep(offsets[i]) ? 1 : 0;
        found.add(offsets[i]);
      });
    });
    for (std::size_t s = 1; s < before.size(); ++s) {
      before[s].kept += before[s - 1].kept;
      before[s].lost += before[s - 1].lost;
      before[s].add(before[s - 1].sum);
    }
    offsets.back() = before.back().sum + before.back().lost;
    kept.resize(before.back().kept);
    check::on_all_cores(stretches, [&](std::int64_t s) {
      go_through(s, before[static_cast<std::size_t>(s)], [&](std::size_t i, Found& found) {
        const double x = offsets[i];
        offsets[i] = found.sum + found.lost;
        if (keep(x)) kept[found.kept++] = static_cast<std::int64_t>(i);
        found.add(x);
      });
    });
  }
};

}  // namespace parallax::scan
