// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/parameters.hpp"

#include <catch2/catch_test_macros.hpp>

#include "exercise/exercise.hpp"
#include "platform/base/error.hpp"
#include "platform/base/numbers.hpp"
#include "platform/device/space_info.hpp"

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

TEST_CASE("a value is kept as what it is, and its text reads as the same value") {
  const auto n = count("n", "", {.tiny = 3, .course = 3, .large = 3});
  const auto mean = real("mean", "", 1.5, -1e30, 1e30);
  const auto axis = interval("axis", "", -1.5, 0);
  CHECK(judged(n, "2.5e3") == Value(std::int64_t{2500}));
  CHECK(text_of(n, judged(n, "1_000")) == "1000");
  CHECK(judged(axis, "-2.0,5e-1") == Value(std::vector{-2.0, 0.5}));
  CHECK(text_of(axis, judged(axis, "-2.0,5e-1")) == "-2,0.5");
  for (const double x : {0.0, 1e5, 0.0001, 0.1, 1.0 / 3, -1e15, 5e-324, 1e22}) {
    INFO(x);
    CHECK(judged(mean, text_of(mean, x)) == Value(x));
  }
  CHECK(read(n, "0") == Value(std::int64_t{0}));  // whatever its range
  CHECK_THROWS_AS(judged(n, "0"), UsageError);
  CHECK_THROWS_AS(read(n, "many"), UsageError);
}

TEST_CASE("a run's own parameters are appended where they mean something") {
  Exercise exercise;
  exercise.parameters = {count("n", "", {.tiny = 3, .course = 3, .large = 3})};
  exercise.variants = {Variant{.name = "range", .summary = ""}};
  exercise.specializations.resize(1);
  exercise.specializations[0].space = "none with threads";
  const auto names_of = [](Exercise e) {
    append_run_parameters(e);
    std::vector<std::string> names;
    for (const auto& p : e.parameters) names.push_back(p.name);
    return names;
  };
  using Names = std::vector<std::string>;
  CHECK(names_of(exercise) == Names{"n"});
  exercise.variants[0].teams = true;
  CHECK(names_of(exercise) == Names{"n", "team_size"});
  for (const auto& space : space_names()) {
    if (!takes_a_number_of_threads(space)) continue;
    exercise.specializations[0].space = space;
    CHECK(names_of(exercise) == Names{"n", "team_size", "threads"});
    auto streams = exercise;
    streams.parameters[0].name = "threads";
    CHECK(names_of(streams) == Names{"threads", "team_size"});
    append_run_parameters(exercise);
    Parameters p(exercise.parameters, Size::tiny, true, 1);
    CHECK(p.threads() == 0);
    CHECK(p.values() == Values{{"n", 3}, {"seed", 1}});
    p.set("threads", "2");
    p.set("team_size", "64");
    CHECK(p.threads() == 2);
    CHECK(p.team_size() == 64);
    CHECK(p.values() == Values{{"n", 3}, {"threads", 2}, {"seed", 1}});
    p.set("team_size", "auto");
    CHECK(p.team_size() == 0);
    CHECK(p.text("team_size") == "auto");
    CHECK_THROWS_AS(p.set("team_size", "0"), UsageError);
    CHECK_THROWS_AS(p.set("threads", "1.5"), UsageError);
  }
}

TEST_CASE("a slip is met with the near match, a stranger with the list") {
  const std::vector<std::string> known{"vector_add", "mandelbrot"};
  CHECK(near_match("vectr_add", known) == "vector_add");
  CHECK(near_match("mandlebrot", known) == "mandelbrot");
  CHECK(near_match("sort", known).empty());
  CHECK(suggestion("sort", known) == " (known: vector_add, mandelbrot)");
}
