// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/rows.hpp"

using namespace parallax;

TEST_CASE("quadratic is right for odd sizes in every space") {
  test::verify_everywhere("quadratic", {{{"n", "0"}},
                                        {{"n", "1"}},
                                        {{"n", "2"}},
                                        {{"n", "9"}},
                                        {{"n", "511"}},
                                        {{"n", "513"}},
                                        {{"n", "1009"}},
                                        {{"n", "1023"}},
                                        {{"n", "1025"}},
                                        {{"n", "65537"}},
                                        {{"n", "1009"}, {"input", "edges"}}});
}

TEST_CASE("the course's equation has the course's root in every variant") {
  test::for_each_instance("quadratic", [](const Exercise& e, const Specialization& instance) {
    if (instance.precision != "f64") return;
    for (const auto& row : test::plan_of(e, instance, {{"n", "3"}}).rows) {
      if (row.phase != "kernel") continue;
      test::give(row, "a", std::vector(3, 5.0));
      test::give(row, "b", std::vector(3, 10.0));
      test::give(row, "c", std::vector(3, -0.1));
      INFO(row.variant);
      for (const double x : test::outcome(row))
        CHECK(std::abs(x - 0.009950493836207741) <=
              4 * std::numeric_limits<double>::epsilon() * 10 / (2 * 5));
    }
  });
}

TEST_CASE("the nine_pass variants are nine kernels, each with a label, others are one") {
  test::for_each_instance("quadratic", [](const Exercise& e, const Specialization& instance) {
    for (const auto& row : test::plan_of(e, instance, {{"n", "1000"}}).rows) {
      if (!row.unavailable.empty()) continue;
      auto labels = test::labels_of(row.run);
      std::erase_if(labels, [](const auto& l) { return l.rfind("parallax::quadratic::", 0) != 0; });
      const bool nine = row.variant.rfind("nine_pass", 0) == 0;
      INFO(row.variant);
      CHECK(labels.size() == (nine ? 9 : 1));
      std::sort(labels.begin(), labels.end());
      CHECK(std::unique(labels.begin(), labels.end()) == labels.end());
      const bool pow = std::any_of(labels.begin(), labels.end(), [](const auto& l) {
        return l == "parallax::quadratic::nine_pass::2_pow";
      });
      CHECK(pow == (row.variant == "nine_pass_pow"));
    }
  });
}

namespace {

int allocated = 0, freed = 0, alive = 0, most_alive = 0;

void count_allocation(Kokkos_Profiling_SpaceHandle, const char* label, const void*, std::uint64_t) {
  if (std::string(label) != "temporary") return;
  ++allocated;
  most_alive = std::max(most_alive, ++alive);
}
void count_free(Kokkos_Profiling_SpaceHandle, const char* label, const void*, std::uint64_t) {
  if (std::string(label) != "temporary") return;
  ++freed;
  --alive;
}

}  // namespace

TEST_CASE("nine_pass makes eight temporaries, at most four at once; a pool makes four, once") {
  namespace Tools = Kokkos::Tools::Experimental;
  test::for_each_instance("quadratic", [](const Exercise& e, const Specialization& instance) {
    const auto plan = test::plan_of(e, instance, {{"n", "1000"}});
    const auto before = Tools::get_callbacks();
    Tools::set_allocate_data_callback(count_allocation);
    Tools::set_deallocate_data_callback(count_free);
    for (const auto& row : plan.rows) {
      if (row.variant.rfind("nine_pass", 0) != 0) continue;
      const bool pool = row.variant == "nine_pass_pool";
      for (const bool first : {true, false}) {
        allocated = freed = alive = most_alive = 0;
        row.run();
        Kokkos::fence();
        INFO(row.variant << (first ? " the first time" : " afterwards"));
        CHECK(allocated == (!pool ? 8 : first ? 4 : 0));
        CHECK(freed == (pool ? 0 : 8));
        if (!pool) CHECK(most_alive == 4);
      }
    }
    Tools::set_callbacks(before);
  });
}
