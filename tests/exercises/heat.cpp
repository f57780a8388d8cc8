// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <vector>

#include "measure/verify/trial.hpp"
#include "support/rows.hpp"

using namespace parallax;

namespace {

test::Assignments plate(const char* rows, const char* columns, const char* steps,
                        const char* start = "discs") {
  return {{"rows", rows}, {"columns", columns}, {"steps", steps}, {"start", start}};
}

}  // namespace

TEST_CASE("heat is right for odd plates and numbers of steps in every space") {
  std::vector<test::Assignments> sets;
  for (const char* start : {"discs", "eigenmode"}) {
    sets.push_back(plate("1", "1", "1", start));
    sets.push_back(plate("1", "1", "2", start));
    sets.push_back(plate("1", "67", "3", start));
    sets.push_back(plate("67", "1", "4", start));
    sets.push_back(plate("2", "3", "5", start));
    sets.push_back(plate("16", "32", "7", start));
    sets.push_back(plate("17", "33", "8", start));
    sets.push_back(plate("15", "31", "9", start));
    sets.push_back(plate("64", "256", "16", start));
    sets.push_back(plate("65", "257", "17", start));
    sets.push_back(plate("129", "513", "12", start));
    sets.push_back(plate("3", "5", "1000", start));
    sets.push_back(plate("421", "601", "13", start));  // strips without a point of the frame
  }
  test::verify_everywhere("heat", sets);
}

TEST_CASE("heat: one point between borders of heat, worked out by hand") {
  // sin(pi / 2)^2 = 1 in the middle of a frame of zeros: each step leaves half of it.
  for (const char* variant : {"mdrange", "team_scratch", "graph", "temporal", "register_rows"}) {
    INFO(variant);
    const auto found = test::result_of("heat", variant, plate("1", "1", "9", "eigenmode"), "f64");
    CHECK(test::number(found, "sum") == 1.0 / 512);
    CHECK(std::abs(test::number(found, "decay") - 1.0 / 512) < 1e-16);
  }
}

TEST_CASE("heat: every variant finds the same bits") {
  test::for_each_instance("heat", [](const Exercise& e, const Specialization& instance) {
    std::vector<double> known;
    for (const auto& row : test::plan_of(e, instance, plate("70", "300", "21")).rows) {
      if (!row.unavailable.empty() || row.phase != "kernel") continue;
      INFO(row.variant);
      const auto found = test::outcome(row);
      if (known.empty()) known = found;
      CHECK(found == known);
    }
    CHECK(known.size() == 72 * 302);
  });
}

TEST_CASE("heat: a plate one step behind or ahead does not pass the check") {
  test::for_each_instance("heat", [](const Exercise& e, const Specialization& instance) {
    for (const char* start : {"discs", "eigenmode"}) {
      const auto of = [&](const char* steps) {
        return test::plan_of(e, instance, plate("40", "50", steps, start)).rows.front();
      };
      const Row row = of("20");
      REQUIRE(verify(row).passed);
      for (const char* steps : {"19", "21"}) {
        const Row other = of(steps);
        REQUIRE(verify(other).passed);
        row.judge.outputs.front().write(other.judge.outputs.front().read());
        INFO(start << ", " << steps << " steps for 20");
        CHECK_FALSE(row.judge.check().passed);
      }
    }
  });
}

TEST_CASE("heat in f64 is wrong where it was computed in float") {
  test::require_wrong_in_float("heat");
}
