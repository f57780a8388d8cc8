// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/sweep.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "platform/base/error.hpp"

using parallax::parse_sweep;
using Texts = std::vector<std::string>;

TEST_CASE("a sweep multiplies, adds or lists, and its last value is taken") {
  CHECK(parse_sweep("n=1e3:1e9:x10").values ==
        Texts{"1000", "10000", "100000", "1000000", "10000000", "100000000", "1000000000"});
  CHECK(parse_sweep("bins=100:400:+150").values == Texts{"100", "250", "400"});
  CHECK(parse_sweep("threads=1,2,4").values == Texts{"1", "2", "4"});
  CHECK(parse_sweep("low=0:1:+0.25").values == Texts{"0", "0.25", "0.5", "0.75", "1"});
  CHECK(parse_sweep("n=7:7:x2").values == Texts{"7"});
  CHECK(parse_sweep("n=1e2,1_000").values == Texts{"100", "1_000"});
  CHECK(parse_sweep("max-iterations=20,1000").name == "max_iterations");
  CHECK(parse_sweep("overflow=drop,clamp").values == Texts{"drop", "clamp"});
}

TEST_CASE("a sweep that makes no sense is refused in one line that quotes it") {
  for (const char* text :
       {"",          "n",         "n=",         "=1",         "n=1:2",     "n=1:10:10",
        "n=1:10:x",  "n=1:10:x1", "n=0:10:x2",  "n=10:1:x2",  "n=1:10:+0", "n=1:10:+-1",
        "n=a:10:x2", "n=1:b:x2",  "n=1:10:xc",  "n=1:2:x2:3", "n=1,,2",    "n=1,",
        "n=1,1",     "n=1,1.0",   "n=1:1e9:+1", "n=nan:1:x2", "n=1:inf:x2"}) {
    INFO(text);
    try {
      parse_sweep(text);
      FAIL("not refused");
    } catch (const parallax::UsageError& error) {
      const std::string what = error.what();
      CHECK(what.find("'" + std::string(text) + "'") != std::string::npos);
      CHECK(what.find('\n') == std::string::npos);
    }
  }
}
