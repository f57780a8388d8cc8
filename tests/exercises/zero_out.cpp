// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <utility>

#include "measure/verify/trial.hpp"
#include "support/rows.hpp"

using namespace parallax;

TEST_CASE("zero_out is right for odd sizes in every space") {
  test::verify_everywhere("zero_out", {{{"n", "0"}},
                                       {{"n", "1"}},
                                       {{"n", "2"}},
                                       {{"n", "7"}},
                                       {{"n", "255"}},
                                       {{"n", "257"}},
                                       {{"n", "1024"}},
                                       {{"n", "1025"}},
                                       {{"n", "5119"}},
                                       {{"n", "32768"}},
                                       {{"n", "65537"}}});
}

TEST_CASE("zero_out leaves nothing, and nothing beyond the end is touched") {
  for (const char* variant : {"range", "deep_copy", "team", "team_scratch", "wide"}) {
    const auto result = test::result_of("zero_out", variant, {{"n", "5120"}});
    CHECK(test::number(result, "not_zero") == 0);
    CHECK(test::number(result, "touched_beyond") == 0);
  }
}

TEST_CASE("arrays of 64 MiB and more, whose stores bypass a CPU's cache, are right") {
  using Tuned = std::pair<std::string, std::string>;
  for (const auto& tuned : {Tuned("zero_out", "wide"), Tuned("integer_power", "multiply")})
    test::for_each_instance(tuned.first, [&](const Exercise& e, const Specialization& instance) {
      if (instance.precision != "f64") return;
      // 64 MiB and part of a block
      for (const auto& row : test::plan_of(e, instance, {{"n", "8392711"}}).rows)
        if (row.variant == tuned.second) CHECK(verify(row).passed);
    });
}

TEST_CASE("a kernel that writes one element too many is seen") {
  test::for_each_instance("zero_out", [](const Exercise& e, const Specialization& instance) {
    for (const auto& row : test::plan_of(e, instance, {{"n", "100"}}).rows) {
      row.run();
      auto elements = row.judge.outputs.at(0).read();
      elements.at(100) = 0;
      row.judge.outputs.at(0).write(elements);
      CHECK_FALSE(row.judge.check().passed);
    }
  });
}
