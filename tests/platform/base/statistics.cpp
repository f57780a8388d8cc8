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

Estimate one_run(const std::vector<double>& samples) {
  return {median(samples), median_interval(samples), sample_range(samples)};
}

/// What a 5 % level allows of 50 comparisons, but for one experiment in a thousand.
constexpr int allowed = 8;

struct Verdicts {
  int same = 0, faster = 0, slower = 0, ambiguous = 0;
  void add(Difference difference) {
    (difference == Difference::same     ? same
     : difference == Difference::faster ? faster
     : difference == Difference::slower ? slower
                                        : ambiguous)++;
  }
};

}  // namespace

TEST_CASE("the interval holds the median as often as it says") {
  // What docs/intervals.md says of it. Two standard deviations of 2000 trials are a per cent.
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

TEST_CASE("another sample lies within the range of the first in 95 % of all cases") {
  Noise noise(4);
  for (const std::size_t n : {6, 7, 10, 15, 20, 39, 40, 100}) {
    constexpr int repetitions = 2000;
    int held = 0;
    for (int k = 0; k < repetitions; ++k) {
      const auto range = sample_range(noise.series(n, 0)).value();
      const double another = noise.series(1, 0).front();
      held += range.low <= another && another <= range.high ? 1 : 0;
    }
    INFO(n << ": " << held);
    CHECK(held >= 0.94 * repetitions);
    CHECK(held <= 0.99 * repetitions);
  }
}

TEST_CASE("few samples, equal samples, and the same samples twice") {
  CHECK_FALSE(median_interval({1, 2, 3, 4, 5}));
  CHECK_FALSE(sample_range({1, 2, 3, 4, 5}));
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

TEST_CASE("the mean of runs has Student's interval of their logarithms") {
  const auto mean = mean_of_runs({100, 200, 400});
  CHECK(mean.value == Approx(200));
  const double half = 4.303 * std::log(2) / std::sqrt(3);
  CHECK(mean.run->low == Approx(200 * std::exp(-half)));
  CHECK(mean.run->high == Approx(200 * std::exp(half)));
  CHECK(mean_of_runs({5}).value == Approx(5));
  CHECK_FALSE(mean_of_runs({5}).run);
}

TEST_CASE("identical programs, each run once: no more false verdicts than the level allows") {
  Noise noise(10);
  for (const std::size_t n : {10, 50, 300})
    for (const double memory : {0.0, 0.5, 0.8})
      for (const double of_run : {0.0, 0.01, 0.02}) {              // samples vary by 0.02
        if (n == 10 && memory == 0.8 && of_run == 0.02) continue;  // the page: 10 of 50
        Verdicts verdicts;
        for (int k = 0; k < 50; ++k) {
          const auto a = noise.series(n, memory, 1000 * std::exp(of_run * noise.normal()));
          const auto b = noise.series(n, memory, 1000 * std::exp(of_run * noise.normal()));
          verdicts.add(compared(one_run(a), one_run(b), 0).difference);
        }
        INFO(n << ' ' << memory << ' ' << of_run);
        CHECK(verdicts.faster + verdicts.slower <= allowed);
        CHECK(verdicts.same == 0);  // nothing is the same to the last digit
      }
}

TEST_CASE("identical programs, each run several times: runs may differ by any amount") {
  Noise noise(20);
  for (const std::size_t runs : {2, 3, 5, 10})
    for (const double of_run : {0.01, 0.3}) {
      const auto build = [&](double middle) {
        std::vector<double> medians;
        for (std::size_t k = 0; k < runs; ++k)
          medians.push_back(
              median(noise.series(20, 0.5, middle * std::exp(of_run * noise.normal()))));
        return mean_of_runs(medians);
      };
      Verdicts verdicts, apart;
      for (int k = 0; k < 50; ++k) {
        verdicts.add(compared(build(1000), build(1000), 0).difference);
        apart.add(compared(build(1000), build(10000), 0).difference);
      }
      INFO(runs << ' ' << of_run);
      CHECK(verdicts.faster + verdicts.slower <= allowed);
      CHECK(apart.faster == 0);
      if (runs >= 5) CHECK(apart.slower >= 45);
    }
}

TEST_CASE("a difference beyond the noise is found, one within the threshold is none") {
  Noise noise(30);
  Verdicts slower, faster, close, wide;
  for (int k = 0; k < 50; ++k) {
    const auto a = one_run(noise.series(100, 0.3));
    slower.add(compared(a, one_run(noise.series(100, 0.3, 1200)), 0.02).difference);
    faster.add(compared(a, one_run(noise.series(100, 0.3, 800)), 0.02).difference);
    close.add(compared(a, one_run(noise.series(100, 0.3, 1001)), 0.02).difference);
    wide.add(compared(a, one_run(noise.series(7, 0.3, 1030)), 0.02).difference);
  }
  CHECK(slower.slower == 50);
  CHECK(faster.faster == 50);
  CHECK(close.same >= 45);
  CHECK(wide.ambiguous >= 45);
}

TEST_CASE("what was not measured often enough, or has no sensible interval, is ambiguous") {
  const Estimate good{100, Interval{99, 101}, Interval{98, 102}};
  CHECK(compared(good, {100, {}, {}}, 0.02).difference == Difference::ambiguous);
  CHECK_FALSE(compared(good, {100, {}, {}}, 0.02).interval);
  CHECK(compared(good, {500, {}, Interval{-1, 900}}, 0.02).difference == Difference::ambiguous);
  CHECK(compared(good, {500, {}, Interval{490, 510}}, 0.02).difference == Difference::slower);
  const auto ratio = compared(good, {300, Interval{299, 301}, Interval{290, 310}}, 0.02);
  CHECK(ratio.value == Approx(3));
  CHECK(ratio.interval->low ==
        Approx(3 * std::exp(-std::hypot(std::log(300. / 290), std::log(1.02)))));
}
