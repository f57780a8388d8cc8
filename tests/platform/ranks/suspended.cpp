// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/ranks/suspended.hpp"

#include <catch2/catch_test_macros.hpp>

TEST_CASE("a rank that was stopped has not waited meanwhile") {
  parallax::ranks::Suspended away;
  SECTION("while it computed: the wait began afterwards") {
    CHECK(away.seconds(0.01, 12) == 0);
    CHECK(away.seconds(0.02, 0.01) == 0);
  }
  SECTION("as soon as it waited, before it asked for the first time") {
    CHECK(away.seconds(12, 12.5) == 12);
    CHECK(away.seconds(12.01, 0.01) == 12);
  }
  SECTION("later, and twice") {
    CHECK(away.seconds(0.01, 0.5) == 0);
    CHECK(away.seconds(5, 4.5) == 4.5);
    CHECK(away.seconds(5.01, 0.01) == 4.5);
    CHECK(away.seconds(8.01, 3) == 7.5);
    CHECK(away.seconds(0.01, 0.02) == 0);
  }
}
