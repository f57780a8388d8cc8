// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/check.hpp"

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

TEST_CASE("many elements are compared by several threads, with the same words and figures") {
  const std::int64_t n = 200'001;
  std::vector<double> x(n);
  for (std::int64_t i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = static_cast<double>(i);
  CHECK(against_index(x, 0).passed);
  x[70'000] += 3;
  x[199'999] += 5;
  x[200'000] += 2;
  const auto wrong = against_index(x, 2);
  CHECK_FALSE(wrong.passed);
  CHECK(wrong.compared == "x with its index: 2 of 200001 wrong, the first at index 70000");
  CHECK(wrong.error == 5);
  x[100'000] = not_a_number;
  CHECK(std::isnan(against_index(x, 2).error));
}

TEST_CASE("a tolerance may depend on the expected value") {
  const auto within_a_tenth = [](double x) {
    return check::elements(
               "x with 10", 1, [&](std::int64_t) { return x; }, [](std::int64_t) { return 10.0; },
               [](std::int64_t, double expected) { return expected / 10; })
        .passed;
  };
  CHECK(within_a_tenth(11));
  CHECK_FALSE(within_a_tenth(12));
}

TEST_CASE("a sum has the same bits as one by blocks, whoever adds them") {
  const auto term = [](std::int64_t i) { return 1.0 / static_cast<double>(3 * i + 1); };
  const std::int64_t n = 300'007, block = 65536;
  double expected = 0;
  for (std::int64_t begin = 0; begin < n; begin += block) {
    double of_block = 0;
    for (std::int64_t i = begin; i < std::min(n, begin + block); ++i) of_block += term(i);
    expected += of_block;
  }
  for (int k = 0; k < 10; ++k) CHECK(check::sum(n, term) == expected);
  CHECK(check::sum(0, term) == 0);
  CHECK(check::sum(5, [](std::int64_t i) { return i; }) == 10);
}

TEST_CASE("a sample of many elements holds the ends of each stretch and about a million more") {
  const std::int64_t n = 5'000'001;
  std::vector<double> x(n);
  for (std::int64_t i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = static_cast<double>(i);
  const check::Settings sampled(true);
  const auto right = against_index(x, 0);
  CHECK(right.passed);
  CHECK(right.compared == "x with its index (sampled: 1007886 of 5000001)");
  const auto wrong_at = [&](std::int64_t i) {
    auto damaged = x;
    damaged[static_cast<std::size_t>(i)] = not_a_number;
    return !against_index(damaged, 0).passed;
  };
  // Multiples of 5, and both ends of each 65536 and of all.
  for (const std::int64_t i : {0, 1, 63, 70, 65536 - 64, 65535, 65536, 65536 + 63, 1'000'005})
    CHECK(wrong_at(i));
  CHECK(wrong_at(n - 1));
  CHECK(wrong_at(n - 64));
  CHECK_FALSE(wrong_at(71));
  // Nothing written is seen wherever it is looked for.
  const auto nothing = against_index(std::vector<double>(n, not_a_number), 1e300);
  CHECK_FALSE(nothing.passed);
  CHECK(nothing.compared.find("1007886 of 1007886 wrong") != std::string::npos);
  // Few elements are always all compared.
  x.resize(std::size_t{1} << 20);
  CHECK(against_index(x, 0).compared == "x with its index");
  x[71] = 0;
  CHECK_FALSE(against_index(x, 0).passed);
}
