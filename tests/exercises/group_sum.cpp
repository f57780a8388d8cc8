// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "group_sum/tuned.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "exercise/team_size.hpp"
#include "platform/device/spaces.hpp"
#include "support/rows.hpp"

using namespace parallax;

TEST_CASE("group_sum is right for odd sizes, empty groups and one giant group in every space") {
  test::verify_everywhere("group_sum", {{{"n", "0"}},
                                        {{"n", "1"}},
                                        {{"n", "2"}, {"mean", "10"}},
                                        {{"n", "255"}},
                                        {{"n", "257"}, {"mean", "0"}},
                                        {{"n", "5003"}, {"mean", "3"}},
                                        {{"n", "65537"}, {"mean", "0"}},
                                        {{"n", "65537"}, {"mean", "0.0005"}},
                                        {{"n", "65537"}, {"order", "shuffled"}},
                                        {{"n", "32768"}},
                                        {{"n", "65536"}, {"order", "shuffled"}},
                                        {{"n", "1000000"}, {"mean", "0"}},
                                        {{"n", "1009"}, {"mean", "5"}, {"order", "shuffled"}}});
}

TEST_CASE("group_sum joins groups wherever the shares are cut, up to the ends of 64-bit keys") {
  namespace g = kernels::group_sum;
  for_each_built_in_space([]<class Space>() {
    INFO(space_name<Space>());
    using Memory = typename Space::memory_space;
    const Space space;
    constexpr int n = 1500, groups = 160;
    for (const std::int64_t first : {std::numeric_limits<std::int64_t>::min(), std::int64_t{0},
                                     std::numeric_limits<std::int64_t>::max() - groups + 1}) {
      g::Table<Space, double> table;
      table.key = Kokkos::View<std::int64_t*, Memory>("key", n);
      const auto key = Kokkos::create_mirror_view(table.key);
      std::vector<double> expected(groups);
      for (int i = 0; i < n; ++i) {
        // Groups of one row, of some rows, of 600 rows, without rows; the last key is there.
        const int group = i < 700      ? i / 7
                          : i < 1300   ? 110
                          : i == n - 1 ? groups - 1
                                       : 113 + i % 1300 / 5;
        key(i) = first + group;
        expected[static_cast<std::size_t>(group)] += 1;
      }
      Kokkos::deep_copy(table.key, key);
      for (int c = 0; c < g::columns; ++c) {
        table.value[c] = Kokkos::View<double*, Memory>("value", n);
        Kokkos::deep_copy(table.value[c], c + 1.0);
      }
      const g::Sums<Space, double> sums("sums", groups);
      const auto check = [&] {
        const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, sums);
        int wrong = 0;
        for (int i = 0; i < groups; ++i)
          for (int c = 0; c < g::columns; ++c)
            wrong += h(i, c) != (c + 1) * expected[static_cast<std::size_t>(i)];
        CHECK(wrong == 0);
        Kokkos::deep_copy(sums, -1);
      };
      for (const int shares : {1, 2, 3, 7, 64, 1499, 4000}) {
        INFO("first key " << first << ", " << shares << " shares");
        const g::Workspace<Space, double> workspace(space, shares);
        g::sorted_segments(space, table, first, sums, workspace);
        check();
      }
      INFO("first key " << first << ", lesson");
      const int team = std::min(3, largest_team<Space>());
      g::atomic(space, table, first, sums);
      check();
      g::group_per_thread(space, table, first, sums);
      check();
      g::group_per_team(space, team, table, first, sums);
      check();
      g::team_scratch(space, team, table, first, sums);
      check();
    }
  });
}

TEST_CASE("group_sum gives the sums that the course prints for its first two groups") {
  // Its table begins with these rows; the sums are as cuDF printed them, to six places.
  constexpr std::int64_t keys[] = {0, 1, 1, 1};
  constexpr double rows[][4] = {{-1.584330, 2.553715, 0.255711, 29.901214},
                                {11.055273, 18.348396, 11.245642, 26.938664},
                                {-0.345299, 6.419128, -20.948133, 12.915300},
                                {9.676296, 14.739402, 0.717706, 3.669139}};
  constexpr double printed[][4] = {{-1.584330, 2.553715, 0.255711, 29.901214},
                                   {20.386270, 39.506925, -8.984785, 43.523104}};
  constexpr double rounding = 2.1e-6;  // three printed rows and a printed sum, half a unit each
  namespace g = kernels::group_sum;
  for_each_built_in_space([&]<class Space>() {
    INFO(space_name<Space>());
    using Memory = typename Space::memory_space;
    const Space space;
    g::Table<Space, double> table;
    table.key = Kokkos::View<std::int64_t*, Memory>("key", 4);
    const auto key = Kokkos::create_mirror_view(table.key);
    std::copy_n(keys, 4, key.data());
    Kokkos::deep_copy(table.key, key);
    for (int c = 0; c < g::columns; ++c) {
      table.value[c] = Kokkos::View<double*, Memory>("value", 4);
      const auto column = Kokkos::create_mirror_view(table.value[c]);
      for (int i = 0; i < 4; ++i) column(i) = rows[i][c];
      Kokkos::deep_copy(table.value[c], column);
    }
    const g::Sums<Space, double> sums("sums", 2);
    g::sorted_segments(space, table, 0, sums, g::Workspace<Space, double>(space, 2));
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, sums);
    for (int group = 0; group < 2; ++group)
      for (int c = 0; c < g::columns; ++c) {
        INFO("group " << group << ", column " << c);
        CHECK(std::abs(found(group, c) - printed[group][c]) < rounding);
      }
  });
}

TEST_CASE("group_sum does not run where no sum would be exact in float") {
  test::for_each_instance("group_sum", [](const Exercise& e, const Specialization& instance) {
    for (const std::string n : {"4000000", "5000000"})
      for (const auto& row : test::plan_of(e, instance, {{"n", n}, {"mean", "0"}}).rows) {
        if (row.variant == "library" && runs_on_host(instance.space)) continue;
        INFO(row.variant << ", rows: " << n);
        CHECK(row.unavailable.empty() == (instance.precision == "f64" || n == "4000000"));
      }
  });
}

namespace {

/// As on a GPU, with as few threads as a host has for a team; a thread adds up `Together` columns.
template <int Threads, int Together>
struct Staged {
  static constexpr bool staged = true;
  template <class>
  static constexpr int run = 4;
  template <class>
  static constexpr int rows = 4 * Threads* Together / kernels::group_sum::columns;
  template <class>
  static constexpr int together = Together;
};

template <class Space, int Threads, int Together>
void add_up_staged(int spread) {
  namespace g = kernels::group_sum;
  if (largest_team<Space>() < Threads) return;
  using Memory = typename Space::memory_space;
  constexpr int n = 5003;
  const int groups = n / 7 * spread + 2;
  INFO(Threads << " threads, " << Together << " columns each, a group in " << spread);
  const Space space;
  g::Table<Space, double> table;
  table.key = Kokkos::View<std::int64_t*, Memory>("key", n);
  const auto key = Kokkos::create_mirror_view(table.key);
  // Groups of seven rows, and one of some 3000; between them, and before the first, none.
  const auto group = [&](int i) { return (i < 1000 || i > 4000 ? i : 1000) / 7 * spread + 1; };
  for (int i = 0; i < n; ++i) key(i) = group(i);
  Kokkos::deep_copy(table.key, key);
  for (auto& column : table.value) {
    column = Kokkos::View<double*, Memory>("value", n);
    const auto x = Kokkos::create_mirror_view(column);
    for (int i = 0; i < n; ++i) x(i) = i;
    Kokkos::deep_copy(column, x);
  }
  std::vector<double> expected(groups);
  for (int i = 0; i < n; ++i) expected[static_cast<std::size_t>(group(i))] += i;
  const g::Sums<Space, double> sums("sums", groups);
  const g::Workspace<Space, double, Staged<Threads, Together>> workspace(space, 3);
  int wrong = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    Kokkos::deep_copy(sums, -1);
    g::sorted_segments(space, table, 0, sums, workspace);
    const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, sums);
    for (int i = 0; i < groups; ++i)
      for (int c = 0; c < g::columns; ++c)
        wrong += h(i, c) != expected[static_cast<std::size_t>(i)];
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("group_sum stages tiles for teams of one thread and of several") {
  for_each_built_in_space([]<class Space>() {
    INFO(space_name<Space>());
    if constexpr (kernels::is_host_space<Space>) {
      for (const int spread : {1, 2, 20}) {
        add_up_staged<Space, 1, 4>(spread);
        add_up_staged<Space, 2, 2>(spread);
        add_up_staged<Space, 4, 4>(spread);
        add_up_staged<Space, 4, 2>(spread);
      }
    }
  });
}
