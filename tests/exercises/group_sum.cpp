// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "group_sum/tuned.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <vector>

#include "harness/spaces.hpp"
#include "harness/team_size.hpp"
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

TEST_CASE("group_sum does not run where one running sum would stop being right") {
  test::for_each_instance("group_sum", [](const Exercise& e, const Instance& instance) {
    if (instance.precision != "f32") return;
    for (const bool large : {false, true}) {
      const auto plan =
          test::plan_of(e, instance, {{"n", large ? "14000000" : "1000"}, {"mean", "0"}}, 1);
      for (const auto& row : plan.rows) {
        INFO(row.variant << (large ? ", many rows" : ", few rows"));
        const bool one_sum = row.variant == "atomic" || row.variant == "group_per_thread" ||
                             row.variant == "group_per_team";  // of one thread here
        CHECK(row.unavailable.empty() == !(large && one_sum));
      }
    }
  });
}
