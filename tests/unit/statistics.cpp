// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Reference values: scipy.stats.mannwhitneyu 1.10.1, two-sided, method="auto".
#include "harness/statistics.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using Catch::Approx;
using parallax::rank_test;

TEST_CASE("small sets without ties are judged exactly") {
  const auto apart = rank_test({1.1, 1.2, 1.3, 1.4, 1.5}, {2.1, 2.2, 2.3, 2.4, 2.5});
  CHECK(apart.u == 0);
  CHECK(apart.p == Approx(0.007936507936507936));
  CHECK(apart.least_p == Approx(0.007936507936507936));
  const auto mixed = rank_test({19, 22, 16, 29, 24}, {20, 11, 17, 12});
  CHECK(mixed.u == 17);
  CHECK(mixed.p == Approx(0.1111111111111111));
  CHECK(rank_test({1, 2, 3}, {4, 5, 6}).p == Approx(0.1));
}

TEST_CASE("larger sets and ties are judged by the normal approximation") {
  const auto ties = rank_test({1, 2, 2, 3, 4, 5}, {2, 3, 3, 6, 7, 8, 9});
  CHECK(ties.u == 9);
  CHECK(ties.p == Approx(0.09667054340670089));
  const auto large =
      rank_test({1, 3, 5, 7, 9, 11, 13, 15, 17, 19}, {8, 10, 12, 14, 16, 18, 20, 22, 24, 26});
  CHECK(large.u == Approx(21));
  CHECK(large.p == Approx(0.031209012771740218));
}

TEST_CASE("the order of the sets does not matter, and equal sets do not differ") {
  CHECK(rank_test({1, 2, 3}, {4, 5, 6}).p == rank_test({4, 5, 6}, {1, 2, 3}).p);
  CHECK(rank_test({5, 5, 5, 5}, {5, 5, 5, 5}).p == 1);
  CHECK(rank_test({1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}).p == Approx(1));
  CHECK(rank_test({}, {1, 2}).p == 1);
}

TEST_CASE("three samples against three can never tell") {
  CHECK(rank_test({1, 2, 3}, {10, 20, 30}).least_p == Approx(0.1));
  CHECK(rank_test({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {11, 12, 13}).least_p == Approx(2.0 / 286));
}
