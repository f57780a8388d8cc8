// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "measure/verify/trial.hpp"
#include "platform/base/error.hpp"
#include "support/rows.hpp"

using namespace parallax;

TEST_CASE("memory_kinds is right for odd sizes and filters in every space") {
  test::verify_everywhere("memory_kinds", {{{"n", "0"}},
                                           {{"n", "5"}},
                                           {{"n", "33"}, {"taps", "33"}},
                                           {{"n", "34"}},
                                           {{"n", "97"}, {"taps", "33"}},
                                           {{"n", "1009"}, {"taps", "1"}},
                                           {{"n", "1009"}, {"taps", "256"}},
                                           {{"n", "33000"}, {"taps", "2"}},
                                           {{"n", "65537"}, {"taps", "33"}}});
}

TEST_CASE("the checksum is the same for every kind of memory") {
  for (const char* precision : {"f32", "f64"}) {
    const auto checksum = [&](const char* variant) {
      return test::number(test::result_of("memory_kinds", variant, {{"n", "2000"}}, precision),
                          "checksum");
    };
    const double known = checksum("global");
    for (const char* variant :
         {"random_access", "team_scratch", "constant", "local", "global_blocks", "constant_blocks"})
      CHECK(checksum(variant) == known);
    CHECK(known > 0);
  }
}

TEST_CASE("a filter that is longer than the array is refused in one line") {
  const auto& e = find_exercise("memory_kinds");
  Parameters parameters(e.parameters, Size::tiny, true, 1);
  parameters.set("taps", "33");
  parameters.set("n", "32");
  try {
    e.validate(parameters);
    FAIL("not refused");
  } catch (const UsageError& refusal) {
    CHECK(std::string(refusal.what()) ==
          "memory_kinds: a filter of 33 taps is longer than the array of 32 elements (expected "
          "taps <= n)");
  }
  parameters.set("n", "33");
  CHECK_NOTHROW(e.validate(parameters));
  CHECK_THROWS_AS(parameters.set("taps", "0"), UsageError);
  CHECK_THROWS_AS(parameters.set("taps", "257"), UsageError);
}

TEST_CASE("memory_kinds in f64 is wrong where it was computed in float") {
  test::require_wrong_in_float("memory_kinds");
}
