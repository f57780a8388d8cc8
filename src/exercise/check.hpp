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

/// f(0) to f(n-1) on all cores of the host, in any order. f must not throw.
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
  if (sums.size() > 1)
    on_all_cores(static_cast<std::int64_t>(sums.size()), add);
  else if (n > 0)
    add(0);
  return std::accumulate(sums.begin(), sums.end(), Total{});
}

/// Up to this many elements are always all compared.
inline constexpr std::int64_t all_up_to = std::int64_t{1} << 20;

/// Every element of 0..n-1: `actual(i)` against `expected(i)`, each within `tolerance(i)` or
/// `tolerance(i, expected)`. All three are called by several threads where there are many elements.
/// The verdict's error is the largest absolute difference, its tolerance element 0's.
template <class Actual, class Expected, class Tolerance>
Verdict elements(std::string compared, std::int64_t n, const Actual& actual,
                 const Expected& expected, const Tolerance& tolerance) {
  const auto allowed = [&](std::int64_t i, double right) {
    if constexpr (std::is_invocable_v<Tolerance, std::int64_t, double>)
      return static_cast<double>(tolerance(i, right));
    else
      return static_cast<double>(tolerance(i));
  };
  struct Block {
    std::int64_t compared = 0, wrong = 0, first_wrong = -1;
    double worst = 0;
    void add(double error) {  // nothing is worse than NaN
      if (!(error <= worst) && !std::isnan(worst)) worst = error;
    }
  };
  constexpr std::int64_t size = 1 << 16;
  std::vector<Block> blocks(static_cast<std::size_t>((n + size - 1) / size));
  Compared* const recorded = record(n);
  const bool some = Settings::sampled() && recorded == nullptr && n > all_up_to;
  // Odd, so that a sample meets all threads of a team and all lanes of a vector.
  const std::int64_t distance = ((n + all_up_to - 1) / all_up_to) | 1;
  const auto compare = [&](std::int64_t b) {
    Block block;
    const auto one = [&](std::int64_t i) {
      const auto found = static_cast<double>(actual(i)), right = static_cast<double>(expected(i));
      const double error = difference(found, right), most = allowed(i, right);
      ++block.compared;
      block.add(error);
      if (!(error <= most) && block.wrong++ == 0) block.first_wrong = i;
      if (recorded != nullptr) recorded[i] = {found, right, most};
    };
    const std::int64_t begin = b * size, end = std::min(n, begin + size);
    if (some) {
      constexpr std::int64_t edge = 64;
      const std::int64_t inner = std::min(begin + edge, end), last = std::max(inner, end - edge);
      for (std::int64_t i = begin; i < inner; ++i) one(i);
      for (std::int64_t i = (inner + distance - 1) / distance * distance; i < last; i += distance)
        one(i);
      for (std::int64_t i = last; i < end; ++i) one(i);
    } else {
      for (std::int64_t i = begin; i < end; ++i) one(i);
    }
    blocks[static_cast<std::size_t>(b)] = block;
  };
  if (blocks.size() > 1)
    on_all_cores(static_cast<std::int64_t>(blocks.size()), compare);
  else if (n > 0)
    compare(0);
  Verdict verdict{true, std::move(compared), 0, 0, {}};
  if (n > 0) verdict.tolerance = allowed(0, static_cast<double>(expected(0)));
  Block all;
  for (const auto& block : blocks) {
    all.add(block.worst);
    if (all.wrong == 0) all.first_wrong = block.first_wrong;
    all.wrong += block.wrong;
    all.compared += block.compared;
  }
  verdict.error = all.worst;
  if (some)
    verdict.compared +=
        " (sampled: " + std::to_string(all.compared) + " of " + std::to_string(n) + ")";
  if (all.wrong > 0) {
    verdict.passed = false;
    verdict.compared += ": " + std::to_string(all.wrong) + " of " + std::to_string(all.compared) +
                        " wrong, the first at index " + std::to_string(all.first_wrong);
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
