// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// group_sum: what is expected, added up by the host.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exercise/api.hpp"

namespace parallax::group_sum {

/// Adds value(i) to total(group of row i, from key `first` on) for all rows, by all cores of the
/// host. Sums are exact, so that their order does not matter. A run of equal keys is added at once.
template <class Key, class Value, class Total>
void add_up(const Key& key, std::int64_t first, const Value& value, const Total& total) {
  const time_spent::Timer referring(time_spent::Part::references);
  constexpr std::int64_t stretch = 1 << 16;
  const auto rows = static_cast<std::int64_t>(key.extent(0));
  check::on_all_cores((rows + stretch - 1) / stretch, [&](std::int64_t s) {
    const std::int64_t end = std::min(rows, (s + 1) * stretch);
    for (std::int64_t i = s * stretch; i < end;) {
      const auto group = key(i);
      auto sum = value(i);
      for (++i; i < end && key(i) == group; ++i) sum += value(i);
      Kokkos::atomic_add(&total(static_cast<std::size_t>(group - first)), sum);
    }
  });
}

/// How many rows each group has.
template <class Keys>
std::vector<std::int64_t> rows_of_groups(const Keys& keys) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(keys.groups));
  add_up(
      data::on_host(keys.key), keys.first, [](std::int64_t) { return std::int64_t{1}; },
      [&](std::size_t group) -> auto& { return rows[group]; });
  return rows;
}

/// The sums of the four columns, group by group.
template <class Table>
std::vector<double> sums_of_groups(const Table& table, std::int64_t first, std::int64_t groups) {
  std::vector<double> sum(static_cast<std::size_t>(4 * groups));
  const auto key = data::on_host(table.key);
  for (std::size_t c = 0; c < 4; ++c) {
    const auto x = data::on_host(table.value[c]);
    add_up(
        key, first, [&](std::int64_t i) { return static_cast<double>(x(i)); },
        [&](std::size_t group) -> auto& { return sum[4 * group + c]; });
  }
  return sum;
}

/// A group at a cut is counted by the first rank that has a part of it: this many are not ours.
inline std::int64_t counted_before() { return ranks::rank() > 0 ? 1 : 0; }

/// The columns' totals over all ranks, and the sums of the first group and of the last.
template <class H>
Values summary(const H& found) {
  const auto groups = static_cast<std::int64_t>(found.extent(0)), skipped = counted_before();
  std::vector<double> totals, first, last;
  for (std::int64_t c = 0; c < 4; ++c) {
    const auto at = [&](std::int64_t g) { return static_cast<double>(found(g, c)); };
    totals.push_back(ranks::total(check::sum(std::max<std::int64_t>(groups - skipped, 0),
                                             [&](std::int64_t g) { return at(g + skipped); })));
    if (groups == 0) continue;
    first.push_back(at(0));
    last.push_back(at(groups - 1));
  }
  return {{"totals", totals},
          {"first", ranks::gathered(first).front()},
          {"last", ranks::gathered(last).back()}};
}

}  // namespace parallax::group_sum
