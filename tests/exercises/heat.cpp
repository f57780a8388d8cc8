// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <numbers>
#include <string>

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
  }
  test::verify_everywhere("heat", sets);
}
