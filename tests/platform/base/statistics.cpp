// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Series of samples with fixed seeds, from the generator and transformation written out here: the
// same on every machine.
#include "platform/base/statistics.hpp"

#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <numbers>
#include <random>

using Catch::Approx;
using namespace parallax;

namespace {

class Noise {
 public:
  explicit Noise(std::uint64_t seed) : bits_(seed) {}
  double uniform() { return (static_cast<double>(bits_() >> 11) + 0.5) * 0x1p-53; }
  double normal() {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }

  /// Times whose median is `middle`: each deviation remembers the share `memory` of the one before.
  std::vector<double> series(std::size_t n, double memory, double middle = 1000) {
    std::vector<double> times;
    double deviation = normal();
    for (std::size_t k = 0; k < n; ++k) {
      deviation = memory * deviation + std::sqrt(1 - memory * memory) * normal();
      times.push_back(middle * std::exp(0.02 * deviation));
    }
    return times;
  }

 private:
  std::mt19937_64 bits_;
};

/// How often the interval holds the median that the series were made with.
double coverage(std::size_t n, double memory) {
  constexpr int repetitions = 2000;
  Noise noise(n);
  int held = 0;
  for (int k = 0; k < repetitions; ++k) {
    const auto interval = median_interval(noise.series(n, memory)).value();
    held += interval.low <= 1000 && 1000 <= interval.high ? 1 : 0;
  }
  return held / static_cast<double>(repetitions);
}

}  // namespace

TEST_CASE("the interval holds the median as often as it says") {
  // What docs/measuring.md says of it. Two standard deviations of 2000 trials are a per cent.
  for (const std::size_t n : {7, 10, 20, 50, 200}) {
    INFO(n);
    CHECK(coverage(n, 0) >= 0.95);
    CHECK(coverage(n, 0.3) >= 0.94);
  }
  for (const std::size_t n : {10, 20, 50, 200}) CHECK(coverage(n, 0.5) >= 0.94);
  for (const std::size_t n : {20, 50, 200}) CHECK(coverage(n, 0.8) >= 0.89);
  // Too few blocks to see it: neither does the page promise it.
  CHECK(coverage(6, 0.8) < 0.8);
}

TEST_CASE("the interval of a mean holds it as often as it says") {
  constexpr int repetitions = 2000;
  for (const double memory : {0.0, 0.5}) {
    Noise noise(20);
    int held = 0;
    for (int k = 0; k < repetitions; ++k) {
      const auto interval = mean_interval(noise.series(20, memory)).value();
      held += interval.low <= 1000.2 && 1000.2 <= interval.high ? 1 : 0;
    }
    CHECK(held >= (memory > 0 ? 0.90 : 0.94) * repetitions);
    CHECK(held <= 0.99 * repetitions);
  }
  CHECK_FALSE(mean_interval({1, 2, 3, 4, 5}));
}

TEST_CASE("a long series has a narrow interval, a correlated one a wider") {
  Noise noise(1);
  const auto width = [](const std::vector<double>& series) {
    const auto interval = median_interval(series).value();
    return interval.high - interval.low;
  };
  const auto independent = noise.series(1000, 0);
  CHECK(width(independent) < 5);  // 20 / sqrt(1000) * sqrt(pi / 2) * 2 * 1.96 = 3.1
  CHECK(width(noise.series(1000, 0.9)) > 2 * width(independent));
}

TEST_CASE("its variance is that of a block bootstrap by random resamples") {
  // By the width, which is t(24) = 2.064 times the deviation of the number below the median, in
  // ranks: the resamples' own deviation has to give the same ranks.
  Noise noise(3);
  const std::size_t n = 600, block = 24;  // the block length of that many samples
  const auto series = noise.series(n, 0.6);
  const double middle = median(series);
  double sum = 0, squares = 0;
  constexpr int resamples = 20000;
  for (int k = 0; k < resamples; ++k) {
    double below = 0;
    for (std::size_t b = 0; b < n / block; ++b) {
      const auto start = static_cast<std::size_t>(noise.uniform() * n);
      for (std::size_t i = 0; i < block; ++i) below += series[(start + i) % n] < middle ? 1 : 0;
    }
    sum += below;
    squares += below * below;
  }
  const double mean = sum / resamples;
  const double deviation =
      std::sqrt((squares / resamples - mean * mean) * n / static_cast<double>(n - block));
  auto ordered = series;
  std::sort(ordered.begin(), ordered.end());
  const auto rank = [&](double x) {
    return std::lower_bound(ordered.begin(), ordered.end(), x) - ordered.begin() + 1;
  };
  const auto interval = median_interval(series).value();
  CHECK(static_cast<double>(rank(interval.low)) == Approx(n / 2.0 - 2.064 * deviation).margin(2));
  CHECK(rank(interval.high) == static_cast<std::ptrdiff_t>(n) + 1 - rank(interval.low));
}

TEST_CASE("few samples, equal samples, and the same samples twice") {
  CHECK_FALSE(median_interval({1, 2, 3, 4, 5}));
  const auto six = median_interval({3, 1, 2, 6, 5, 4}).value();
  CHECK(six.low == 1);
  CHECK(six.high == 6);
  const auto equal = median_interval(std::vector<double>(50, 7.0)).value();
  CHECK(equal.low == 7);
  CHECK(equal.high == 7);
  Noise noise(2);
  const auto series = noise.series(100, 0.5);
  CHECK(median_interval(series)->low == median_interval(series)->low);
}
