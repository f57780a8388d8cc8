// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "ragged_sum/tuned.hpp"

#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "measure/verify/trial.hpp"
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
  const test::Assignments set{{"n", "3"}, {"input", "course"}};
  test::verify_everywhere(
      "ragged_sum", {set, {{"n", "2"}, {"input", "course"}}, {{"n", "1009"}, {"input", "course"}}});
  test::for_each_instance("ragged_sum", [&](const Exercise& e, const Specialization& instance) {
    if (instance.precision != "f64") return;
    const int team = std::min(3, test::largest_team(instance.space));
    for (const auto& row : test::plan_of(e, instance, set, team).rows) {
      if (!row.unavailable.empty()) continue;
      const auto sums = test::outcome(row);
      INFO(row.variant);
      CHECK(sums[0] == Catch::Approx(6.6));
      CHECK(sums[1] == 0);
      CHECK(sums[2] == Catch::Approx(9.9));
    }
  });
}

TEST_CASE("ragged_sum balanced gives the same bits twice, and leaves its lists empty") {
  const test::Assignments set{{"n", "5003"}, {"giants", "7"}, {"giant", "50021"}};
  test::for_each_instance("ragged_sum", [&](const Exercise& e, const Specialization& instance) {
    const auto plan = test::plan_of(e, instance, set);
    for (const auto& row : plan.rows) {
      if (row.variant != "balanced") continue;
      const auto once = test::outcome(row);
      CHECK(test::outcome(row) == once);
    }
  });
}

namespace {

/// A GPU's way with short lists.
template <class Space>
struct SideBySide : kernels::ragged_sum::Tuning<Space> {
  static constexpr bool side_by_side = true;
  static constexpr int lists = 4, ahead = 2, longest_short = 64;
};

}  // namespace

TEST_CASE("ragged_sum sums short lists side by side") {
  for_each_built_in_space([]<class Space>() {
    if constexpr (kernels::is_host_space<Space>) {
      INFO(space_name<Space>());
      const int lists = 1009;
      const Kokkos::View<int*, Kokkos::HostSpace> offsets("offsets", lists + 1);
      for (int i = 0; i < lists; ++i)  // of 0 to 70 elements, and some of 100 and 9000
        offsets(i + 1) = offsets(i) + (i % 200 == 7 ? 100 : i % 500 == 11 ? 9000 : i * 37 % 71);
      const Kokkos::View<double*, Kokkos::HostSpace> content("content", offsets(lists)),
          sums("sums and a zone", lists + 4);
      for (int e = 0; e < offsets(lists); ++e) content(e) = e;
      Kokkos::deep_copy(sums, -1);
      const Space space;
      const kernels::ragged_sum::Workspace<Space, double, SideBySide<Space>> work(space,
                                                                                  offsets(lists));
      kernels::ragged_sum::balanced(space, offsets, content,
                                    Kokkos::View<double*, Kokkos::HostSpace>(sums.data(), lists),
                                    work);
      space.fence();
      int wrong = 0;
      for (int i = 0; i < lists; ++i) {
        double expected = 0;
        for (int e = offsets(i); e < offsets(i + 1); ++e) expected += e;
        wrong += sums(i) != expected;
      }
      for (int i = lists; i < lists + 4; ++i) wrong += sums(i) != -1;
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE("ragged_sum is exact where a running sum of ones would stop growing in float") {
  test::verify_everywhere("ragged_sum", {{{"n", "5"}, {"giants", "1"}, {"giant", "20000000"}}});
}

TEST_CASE("ragged_sum in f64 is wrong where it was computed in float") {
  test::require_wrong_in_float("ragged_sum");
}
