// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "harness/check.hpp"

#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <vector>

using namespace parallax;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

Verdict against_index(const std::vector<double>& x, double tolerance) {
  return check::elements(
      "x with its index", static_cast<std::int64_t>(x.size()),
      [&](std::int64_t i) { return x[static_cast<std::size_t>(i)]; },
      [](std::int64_t i) { return static_cast<double>(i); }, tolerance);
}

}  // namespace

TEST_CASE("a number passes within its tolerance and never as NaN") {
  CHECK(check::number("x", 1.0, 1.0, 0).passed);
  CHECK(check::number("x", 1.1, 1.0, 0.2).passed);
  CHECK_FALSE(check::number("x", 1.3, 1.0, 0.2).passed);
  CHECK_FALSE(check::number("x", not_a_number, 1.0, infinity).passed);
  CHECK_FALSE(check::number("x", 1.0, not_a_number, infinity).passed);
  CHECK_FALSE(check::number("x", 1.0, 1.0, not_a_number).passed);
  CHECK(check::number("x", infinity, infinity, 0).passed);
  CHECK_FALSE(check::number("x", -infinity, infinity, 1e300).passed);
}

TEST_CASE("every element counts: the last, a swapped pair, a NaN in the middle") {
  CHECK(against_index({0, 1, 2, 3}, 0).passed);
  CHECK(against_index({}, 0).passed);
  CHECK_FALSE(against_index({0, 1, 2, 4}, 0).passed);
  CHECK_FALSE(against_index({0, 2, 1, 3}, 0).passed);
  const auto with_nan = against_index({0, not_a_number, 2, 3}, 10);
  CHECK_FALSE(with_nan.passed);
  CHECK(std::isnan(with_nan.error));
  CHECK(with_nan.compared.find("1 of 4 wrong, the first at index 1") != std::string::npos);
}

TEST_CASE("both means both, and the first failure speaks") {
  const auto good = check::number("good", 1, 1, 0);
  const auto bad = check::number("bad", 2, 1, 0);
  CHECK(check::both(good, good).passed);
  CHECK_FALSE(check::both(bad, good).passed);
  CHECK_FALSE(check::both(good, bad).passed);
  CHECK(check::both(good, bad).compared == "bad");
  CHECK(check::both(bad, good).compared == "bad");
}
