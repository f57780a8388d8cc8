// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "ragged_sum/tuned.hpp"

#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "exercise/team_size.hpp"
#include "platform/device/spaces.hpp"
#include "support/rows.hpp"

using namespace parallax;

TEST_CASE("ragged_sum is right for odd sizes, empty lists and giants in every space") {
  test::verify_everywhere("ragged_sum",
                          {{{"n", "0"}},
                           {{"n", "1"}, {"giants", "0"}},
                           {{"n", "1"}, {"giants", "1"}, {"giant", "300007"}},
                           {{"n", "2"}, {"giants", "2"}, {"giant", "8193"}},
                           {{"n", "1009"}, {"mean", "0"}, {"giants", "0"}},
                           {{"n", "1009"}, {"mean", "64"}, {"giants", "5"}, {"giant", "8192"}},
                           {{"n", "20011"}, {"mean", "1.5"}, {"giants", "100"}, {"giant", "65"}},
                           {{"n", "32768"}, {"giants", "8"}, {"giant", "4096"}},
                           {{"n", "65536"}, {"giants", "2"}, {"giant", "65536"}}});
}

TEST_CASE("ragged_sum of [[1.1,2.2,3.3],[],[4.4,5.5]] is [6.6,0,9.9]") {
  for_each_built_in_space([]<class Space>() {
    using Memory = typename Space::memory_space;
    const Space space;
    const Kokkos::View<std::int32_t*, Memory> offsets("offsets", 4);
    const Kokkos::View<double*, Memory> content("content", 5), sums("sums", 3);
    const std::int32_t at[] = {0, 3, 3, 5};
    const double x[] = {1.1, 2.2, 3.3, 4.4, 5.5};
    Kokkos::deep_copy(offsets, Kokkos::View<const std::int32_t*, Kokkos::HostSpace>(at, 4));
    Kokkos::deep_copy(content, Kokkos::View<const double*, Kokkos::HostSpace>(x, 5));
    const kernels::ragged_sum::Workspace<Space, double> workspace(space, 5);
    const auto check = [&] {
      const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, sums);
      INFO(space_name<Space>());
      CHECK(h(0) == Catch::Approx(6.6));
      CHECK(h(1) == 0);
      CHECK(h(2) == Catch::Approx(9.9));
      Kokkos::deep_copy(sums, -1);
    };
    kernels::ragged_sum::list_per_thread(space, offsets, content, sums);
    check();
    const int team = std::min(3, largest_team<Space>());
    kernels::ragged_sum::list_per_team(space, team, offsets, content, sums);
    check();
    kernels::ragged_sum::atomic(space, offsets, content, sums);
    check();
    kernels::ragged_sum::team_scratch(space, team, offsets, content, sums);
    check();
    kernels::ragged_sum::balanced(space, offsets, content, sums, workspace);
    check();
  });
}

TEST_CASE("ragged_sum balanced gives the same bits twice, and leaves its lists empty") {
  const test::Assignments set{{"n", "5003"}, {"giants", "7"}, {"giant", "50021"}};
  test::for_each_instance("ragged_sum", [&](const Exercise& e, const Specialization& instance) {
    const auto plan = test::plan_of(e, instance, set);
    for (const auto& row : plan.rows) {
      if (row.variant != "balanced") continue;
      row.run();
      const auto once = row.judge.outputs.at(0).read();
      row.judge.outputs.at(0).poison();
      row.run();
      CHECK(row.judge.outputs.at(0).read() == once);
    }
  });
}

TEST_CASE("ragged_sum is exact where a running sum of ones would stop growing in float") {
  test::verify_everywhere("ragged_sum", {{{"n", "5"}, {"giants", "1"}, {"giant", "20000000"}}});
}
