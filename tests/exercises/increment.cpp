// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "support/rows.hpp"

using namespace parallax;

TEST_CASE("increment is right for odd sizes in every space") {
  test::verify_everywhere("increment", {{{"n", "0"}},
                                        {{"n", "1"}},
                                        {{"n", "127"}},
                                        {{"n", "1023"}},
                                        {{"n", "1024"}},
                                        {{"n", "1025"}},
                                        {{"n", "32768"}},
                                        {{"n", "65537"}}});
}

TEST_CASE("increment of 0..1023 gives 1..1024") {
  for (const char* variant : {"range", "one_block", "team_scratch"}) {
    const auto result = test::result_of("increment", variant, {{"n", "1024"}});
    CHECK(test::number(result, "n") == 1024);
    CHECK(test::number(result, "first") == 1);
    CHECK(test::number(result, "last") == 1024);
  }
}
