// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "tree_sum/tuned.hpp"

#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "measure/verify/trial.hpp"
#include "platform/device/space_info.hpp"
#include "platform/device/spaces.hpp"
#include "support/rows.hpp"

using namespace parallax;

TEST_CASE("tree_sum is right for odd sizes in every space") {
  test::verify_everywhere("tree_sum", {{{"n", "0"}},
                                       {{"n", "1"}},
                                       {{"n", "2"}},
                                       {{"n", "3"}},
                                       {{"n", "7"}},
                                       {{"n", "64"}},
                                       {{"n", "1021"}},
                                       {{"n", "2047"}},
                                       {{"n", "8193"}},
                                       {{"n", "65536"}},
                                       {{"n", "262147"}}});
}

TEST_CASE("tree_sum of the numbers below 1024 is 523776 in every variant and precision") {
  for (const char* precision : {"f32", "f64"})
    for (const char* variant :
         {"atomic", "tree", "team_scratch", "reduce", "team_tree", "reduce_wide"}) {
      INFO(variant << " " << precision);
      const auto result =
          test::result_of("tree_sum", variant, {{"n", "1024"}, {"input", "index"}}, precision);
      CHECK(test::number(result, "sum") == 523776);
      CHECK(test::number(result, "error") == 0);
    }
}

TEST_CASE("tree_sum of 3 1 7 0 4 1 6 3 is 25") {
  test::for_each_instance("tree_sum", [](const Exercise& e, const Specialization& instance) {
    if (instance.precision != "f64") return;
    for (const auto& row : test::plan_of(e, instance, {{"n", "8"}}).rows) {
      if (row.expected_to_fail || !row.unavailable.empty()) continue;
      test::give(row, "a", std::vector<double>{3, 1, 7, 0, 4, 1, 6, 3});
      INFO(row.variant);
      CHECK(test::outcome(row) == std::vector<double>{25});
    }
  });
}

TEST_CASE("tree_sum's packs take views that are not aligned to one, and add nothing beside") {
  for_each_built_in_space([]<class Space>() {
    INFO(space_name<Space>());
    Kokkos::View<double*, Kokkos::HostSpace> h("h", 10);
    for (int i = 0; i < 10; ++i) h(i) = i == 0 || i == 9 ? 1e9 : i;
    const auto all = Kokkos::create_mirror_view_and_copy(typename Space::memory_space{}, h);
    const auto a = Kokkos::subview(all, std::pair(1, 9));
    const Kokkos::View<double, typename Space::memory_space> sum("sum");
    const auto found = [&] {
      double x = 0;
      Kokkos::deep_copy(x, sum);
      return x;
    };
    kernels::tree_sum::team_tree(Space{}, a, sum);
    CHECK(found() == 36);
    Kokkos::deep_copy(sum, -1.0);
    kernels::tree_sum::reduce_wide(Space{}, a, sum);
    CHECK(found() == 36);
  });
}

TEST_CASE("tree_sum race is expected to fail on parallel spaces, and does") {
  test::for_each_instance("tree_sum", [](const Exercise& e, const Specialization& instance) {
    const auto plan = test::plan_of(e, instance, {{"n", "4000000"}});
    const Row& race = plan.rows.front();
    REQUIRE(race.variant == "race");
    if (!race.expected_to_fail) {  // one worker does it all: nothing to race with
      CHECK(verify(race).passed);
      return;
    }
    // A machine busy with other things may run the threads one after the other: it gets several
    // chances.
    bool failed = false;
    for (int attempt = 0; attempt < 20 && !failed; ++attempt) failed = !verify(race).passed;
    CHECK(failed);
  });
}

TEST_CASE("tree_sum does not run one chain of f32 where its bound is the whole sum") {
  test::for_each_instance("tree_sum", [](const Exercise& e, const Specialization& instance) {
    const auto plan = test::plan_of(e, instance, {{"n", "16777216"}, {"input", "index"}});
    for (const Row& row : plan.rows) {
      if (row.variant == "library" && runs_on_host(instance.space)) continue;
      const bool chain =
          row.variant == "race" || row.variant == "atomic" || row.variant == "reduce";
      INFO(row.variant);
      CHECK(row.unavailable.empty() == !(chain && instance.precision == "f32"));
    }
  });
}
