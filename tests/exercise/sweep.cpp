// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/sweep.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "platform/base/error.hpp"

using namespace parallax;

namespace {

const Parameter n = count("n", "", {.tiny = 8, .course = 8, .large = 8});
const Parameter low = real("low", "", 0, -10, 1e12);
const Parameter overflow = choice("overflow", "", {"drop", "clamp"});

/// The values as names have them.
std::vector<std::string> texts_of(const std::string& sweep, const Parameter& parameter) {
  std::vector<std::string> texts;
  for (const auto& value : series_of(parse_sweep(sweep), parameter).values)
    texts.push_back(text_of(parameter, value));
  return texts;
}

void require_refused(const std::string& sweep, const std::string& said) {
  INFO(sweep);
  try {
    texts_of(sweep, n);
    FAIL("not refused");
  } catch (const UsageError& error) {
    const std::string what = error.what();
    CHECK(what.find(said) != std::string::npos);
    CHECK(what.find('\n') == std::string::npos);
  }
}

}  // namespace

TEST_CASE("a sweep multiplies, adds or lists, and its last value is taken") {
  using Texts = std::vector<std::string>;
  CHECK(texts_of("n=1e3:1e9:x10", n) ==
        Texts{"1000", "10000", "100000", "1000000", "10000000", "100000000", "1000000000"});
  CHECK(texts_of("n=100:400:+150", n) == Texts{"100", "250", "400"});
  CHECK(texts_of("low=0:1:+0.25", low) == Texts{"0", "0.25", "0.5", "0.75", "1"});
  CHECK(texts_of("low=1e-4:1e8:x1e12", low) == Texts{"0.0001", "100000000"});
  CHECK(texts_of("n=7:7:x2", n) == Texts{"7"});
  CHECK(texts_of("n=1e2,1_000", n) == Texts{"100", "1000"});
  CHECK(texts_of("n=1:4:x1.3", n) == Texts{"1", "2", "3", "4"});  // steps are rounded
  CHECK(parse_sweep("max-iterations=20,1000").name == "max_iterations");
  CHECK(texts_of("overflow=drop,clamp", overflow) == Texts{"drop", "clamp"});
}

TEST_CASE("a sweep that makes no sense is refused in one line that quotes it") {
  for (const char* text :
       {"",           "n",          "n=",        "=1",         "n=1:2",     "n=1:10:10",
        "n=1:10:x",   "n=1:10:x1",  "n=0:10:x2", "n=10:1:x2",  "n=1:10:+0", "n=1:10:+-1",
        "n=a:10:x2",  "n=1:b:x2",   "n=1:10:xc", "n=1:2:x2:3", "n=1,,2",    "n=1,",
        "n=1:1e9:+1", "n=nan:1:x2", "n=1:inf:x2"})
    require_refused(text, "'" + std::string(text) + "'");
}

TEST_CASE("values that the parameter cannot have, or has already, are refused") {
  require_refused("n=1,1", "the value 1 is given twice");
  require_refused("n=1,1.0", "the value 1 is given twice");
  require_refused("n=1,many", "'many'");
  require_refused("n=1,1.5", "'1.5'");
  require_refused("n=0:4:+1", "'0'");
  require_refused("n=1:1e300:x1e200", "'1e+200'");
  CHECK_THROWS_AS(texts_of("overflow=1:2:+1", overflow), UsageError);
}

TEST_CASE("sets are multiplied by the values of a series, which replace older ones") {
  const std::vector<Values> sets{{{"n", 1}, {"low", 0.5}}, {{"n", 2}, {"low", 0.5}}};
  CHECK(multiplied(sets, {"n", {3, 4}}) ==
        std::vector<Values>{{{"low", 0.5}, {"n", 3}}, {{"low", 0.5}, {"n", 4}}});
  CHECK(multiplied({{}}, {"n", {3}}) == std::vector<Values>{{{"n", 3}}});
}
