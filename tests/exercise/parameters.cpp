// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/parameters.hpp"

#include <catch2/catch_test_macros.hpp>

#include "platform/base/error.hpp"
#include "platform/base/numbers.hpp"

using namespace parallax;

TEST_CASE("whole numbers are read as people write them") {
  CHECK(parse_integer("1000") == 1000);
  CHECK(parse_integer("1_000_000") == 1'000'000);
  CHECK(parse_integer("1e8") == 100'000'000);
  CHECK(parse_integer("2.5e3") == 2500);
  CHECK(parse_integer("-7") == -7);
  CHECK(parse_integer("9223372036854775807") == 9223372036854775807);
  for (const char* bad :
       {"", "x", "1.5", "1e30", "9223372036854775808", "0x10", "1 ", " 1", "1e", "nan"}) {
    INFO(bad);
    CHECK_FALSE(parse_integer(bad).has_value());
  }
}

TEST_CASE("assignments split at the commas that begin a new name") {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  CHECK(parse_assignments("n=1000,bins=120") == Pairs{{"n", "1000"}, {"bins", "120"}});
  CHECK(parse_assignments("real=-2,0.5,rows=3") == Pairs{{"real", "-2,0.5"}, {"rows", "3"}});
  for (const char* bad : {"", "n", "=3", "n=1,,m=2", ",n=1"}) {
    INFO(bad);
    CHECK_THROWS_AS(parse_assignments(bad), UsageError);
  }
}

TEST_CASE("sizes choose the defaults, and hosts have their own at the course's") {
  const std::vector<Parameter> specification{
      count("n", "elements", {.tiny = 3, .course = 1000, .large = 1'000'000, .course_host = 100}),
      choice("mode", "how", {"slow", "quick"}), interval("real", "axis", -1.5, 0),
      real("mean", "average", 1.5, 0, 10)};
  CHECK(Parameters(specification, Size::tiny, false, 1).integer("n") == 3);
  CHECK(Parameters(specification, Size::course, false, 1).integer("n") == 1000);
  CHECK(Parameters(specification, Size::course, true, 1).integer("n") == 100);
  CHECK(Parameters(specification, Size::large, true, 1).integer("n") == 1'000'000);

  Parameters p(specification, Size::tiny, false, 1);
  CHECK(p.text("mode") == "slow");
  CHECK(p.interval("real") == std::pair{-1.5, 0.0});
  CHECK(p.real("mean") == 1.5);
  p.set("real", "-2,0.5");
  CHECK(p.interval("real") == std::pair{-2.0, 0.5});
  CHECK_THROWS_AS(p.set("n", "0"), UsageError);
  CHECK_THROWS_AS(p.set("mode", "other"), UsageError);
  CHECK_THROWS_AS(p.set("mean", "11"), UsageError);
  CHECK_THROWS_AS(p.set("real", "1"), UsageError);
  CHECK_THROWS_AS(p.set("nn", "1"), UsageError);
  CHECK(p.integer("n") == 3);
}

TEST_CASE("a slip is met with the near match, a stranger with the list") {
  const std::vector<std::string> known{"vector_add", "mandelbrot"};
  CHECK(near_match("vectr_add", known) == "vector_add");
  CHECK(near_match("mandlebrot", known) == "mandelbrot");
  CHECK(near_match("sort", known).empty());
  CHECK(suggestion("sort", known) == " (known: vector_add, mandelbrot)");
}
