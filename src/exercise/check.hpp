// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "exercise/exercise.hpp"

/// Ways to judge a result. Each compares every element or the one number that matters (a sample of
/// the elements, where the user asked for that), and says what it compared.
namespace parallax::check {

/// |actual - expected|, where equal infinities differ by 0 and anything with a NaN differs by NaN.
inline double difference(double actual, double expected) {
  return actual == expected ? 0.0 : std::abs(actual - expected);
}

/// What one call of number() or elements() compared, element by element.
struct Compared {
  double actual = 0, expected = 0, allowed = 0;
  [[nodiscard]] bool wrong() const { return !(difference(actual, expected) <= allowed); }
};
using Comparison = std::vector<Compared>;

/// How a run wants its results compared. The newest object holds, until it is destroyed.
class Settings {
 public:
  /// `sampled`: elements() compares only some of many elements (`--verify sampled`), both ends of
  /// each 65536 and about a million evenly spread. `recorder`: where number() and elements() also
  /// write what they compare, while a failed row is diagnosed (diagnosis.hpp).
  explicit Settings(bool sampled, std::vector<Comparison>* recorder = nullptr);
  ~Settings();
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;

  static bool sampled();
  static std::vector<Comparison>* recorder();

 private:
  bool sampled_;
  std::vector<Comparison>* recorder_;
  const Settings* outer_;
};
/// Room for a comparison of n elements in the recorder; nullptr without one.
Compared* record(std::int64_t n);

/// One number against another. Passes where the difference is at most `tolerance`; NaN fails.
inline Verdict number(std::string compared, double actual, double expected, double tolerance) {
  const double error = difference(actual, expected);
  if (auto* const recorded = record(1)) *recorded = {actual, expected, tolerance};
  return {error <= tolerance, std::move(compared), error, tolerance, {}};
}

/// f(0) to f(n-1) on all cores of the host, in any order; a single call in this thread. f must not
/// throw.
void on_all_cores(std::int64_t n, const std::function<void(std::int64_t)>& f);
/// Writes into every page of memory whose content does not matter: the system gives pages at the
/// first touch, to one core some gigabytes a second.
void touch_pages(void* begin, std::size_t bytes);

/// term(0) + ... + term(n-1), from blocks added up by all cores of the host: the same to the last
/// bit on any number of them. `Sum` is 0 at first, takes terms by += and other sums by +. `term`
/// must not throw.
template <class Sum = void, class Term>
auto sum(std::int64_t n, const Term& term) {
  using Total = std::conditional_t<std::is_void_v<Sum>,
                                   std::decay_t<std::invoke_result_t<Term, std::int64_t>>, Sum>;
  constexpr std::int64_t size = 1 << 16;
  std::vector<Total> sums(static_cast<std::size_t>((n + size - 1) / size));
  const auto add = [&](std::int64_t b) {
    Total total{};
    for (std::int64_t i = b * size; i < std::min(n, (b + 1) * size); ++i) total += term(i);
    sums[static_cast<std::size_t>(b)] = total;
  };
  on_all_cores(static_cast<std::int64_t>(sums.size()), add);
  return std::accumulate(sums.begin(), sums.end(), Total{});
}

/// Up to this many elements are always all compared.
inline constexpr std::int64_t all_up_to = std::int64_t{1} << 20;

/// Writes what is to be compared of the elements begin, begin + step and so on, before end.
using Comparer =
    std::function<void(std::int64_t begin, std::int64_t end, std::int64_t step, Compared* to)>;
/// What all uses of elements() share, compiled once.
Verdict elements_by(std::string compared, std::int64_t n, const Comparer& comparer);

/// Every element of 0..n-1: `actual(i)` against `expected(i)`, each within `tolerance(i)` or
/// `tolerance(i, expected)`. All three are called by several threads where there are many elements.
/// The verdict's error is the largest absolute difference, its tolerance element 0's.
template <class Actual, class Expected, class Tolerance>
Verdict elements(std::string compared, std::int64_t n, const Actual& actual,
                 const Expected& expected, const Tolerance& tolerance) {
  return elements_by(std::move(compared), n,
                     [&](std::int64_t begin, std::int64_t end, std::int64_t step, Compared* to) {
                       for (std::int64_t i = begin; i < end; i += step, ++to) {
                         to->actual = static_cast<double>(actual(i));
                         to->expected = static_cast<double>(expected(i));
                         if constexpr (std::is_invocable_v<Tolerance, std::int64_t, double>)
                           to->allowed = static_cast<double>(tolerance(i, to->expected));
                         else
                           to->allowed = static_cast<double>(tolerance(i));
                       }
                     });
}

/// Every element of 0..n-1 within one absolute tolerance (0: exactly equal).
template <class Actual, class Expected>
Verdict elements(std::string compared, std::int64_t n, const Actual& actual,
                 const Expected& expected, double tolerance) {
  return elements(std::move(compared), n, actual, expected,
                  [tolerance](std::int64_t) { return tolerance; });
}

/// Both must hold. Keeps the first's result, and the first failure's words and figures.
Verdict both(Verdict first, Verdict second);

}  // namespace parallax::check
