// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "harness/exercise.hpp"

/// Ways to judge a result. Each compares every element or the one number that matters, and says
/// what it compared.
namespace parallax::check {

/// |actual - expected|, where equal infinities differ by 0 and anything with a NaN differs by NaN.
inline double difference(double actual, double expected) {
  return actual == expected ? 0.0 : std::abs(actual - expected);
}

/// One number against another. Passes where the difference is at most `tolerance`; NaN fails.
inline Verdict number(std::string compared, double actual, double expected, double tolerance) {
  const double error = difference(actual, expected);
  return {error <= tolerance, std::move(compared), error, tolerance, {}};
}

/// Every element of 0..n-1: `actual(i)` against `expected(i)`, each within `tolerance(i)`.
/// The verdict's error is the largest absolute difference, its tolerance that of element 0.
template <class Actual, class Expected, class Tolerance>
Verdict elements(std::string compared, std::int64_t n, const Actual& actual,
                 const Expected& expected, const Tolerance& tolerance) {
  Verdict verdict{true, std::move(compared), 0, n > 0 ? static_cast<double>(tolerance(0)) : 0, {}};
  std::int64_t wrong = 0;
  std::int64_t first_wrong = -1;
  double worst = 0;
  bool has_nan = false;
  for (std::int64_t i = 0; i < n; ++i) {
    const double error =
        difference(static_cast<double>(actual(i)), static_cast<double>(expected(i)));
    if (std::isnan(error)) has_nan = true;
    if (error > worst) worst = error;
    if (!(error <= static_cast<double>(tolerance(i)))) {
      if (wrong++ == 0) first_wrong = i;
    }
  }
  verdict.error = has_nan ? std::nan("") : worst;
  if (wrong > 0) {
    verdict.passed = false;
    verdict.compared += ": " + std::to_string(wrong) + " of " + std::to_string(n) +
                        " wrong, the first at index " + std::to_string(first_wrong);
  }
  return verdict;
}

/// Every element of 0..n-1 within one absolute tolerance (0: exactly equal).
template <class Actual, class Expected>
Verdict elements(std::string compared, std::int64_t n, const Actual& actual,
                 const Expected& expected, double tolerance) {
  return elements(std::move(compared), n, actual, expected,
                  [tolerance](std::int64_t) { return tolerance; });
}

/// Both must hold. Keeps the first's result, and the first failure's words and figures.
inline Verdict both(Verdict first, Verdict second) {
  for (auto& value : second.result) first.result.push_back(std::move(value));
  if (first.passed && !second.passed) {
    second.result = std::move(first.result);
    return second;
  }
  if (first.passed) first.compared += "; " + second.compared;
  return first;
}

}  // namespace parallax::check
