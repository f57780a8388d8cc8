// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/base/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace parallax {
namespace {

constexpr double normal = 1.959964;  ///< 97.5 % of the normal distribution is below

/// 97.5 % of Student's distribution is below.
double student_t(std::size_t freedom) {
  constexpr double table[] = {12.706, 4.303, 3.182, 2.776, 2.571,
                              2.447,  2.365, 2.306, 2.262, 2.228};
  if (freedom <= std::size(table)) return table[std::max<std::size_t>(freedom, 1) - 1];
  const double v = static_cast<double>(freedom), z = normal, z3 = z * z * z;
  return z + (z3 + z) / (4 * v) + (5 * z3 * z * z + 16 * z3 + 3 * z) / (96 * v * v);
}

/// The variance of the sum of a series, by the circular block bootstrap. A resample's sum is one
/// over independent blocks, so its variance follows from one block's, over all places where a
/// block can start: nothing has to be drawn.
double variance_of_sum(const std::vector<double>& series, std::size_t block) {
  double mean = 0;
  for (const double x : series) mean += x;
  const std::size_t n = series.size();
  const double count = static_cast<double>(n), length = static_cast<double>(block);
  mean /= count;
  double excess = -length * mean, squares = 0;
  for (std::size_t k = 0; k < block; ++k) excess += series[k];
  for (std::size_t k = 0; k < n; ++k) {
    squares += excess * excess;
    excess += series[(k + block) % n] - series[k];
  }
  return squares / length * count / (count - length);  // the last factor: blocks share their mean
}

/// sqrt(n): the number of samples in a block.
std::size_t block_of(std::size_t n) {
  return static_cast<std::size_t>(std::floor(std::sqrt(static_cast<double>(n)) + 0.5));
}

/// The interval of a ratio from its two sides' intervals: distances add as independent deviations
/// do, on a logarithmic scale (Zou and Donner, Statistics in Medicine 27, 2008).
Interval over(const Interval& b, const Interval& a, double value_a, double value_b) {
  const auto distance = [](double x, double y) { return std::log(x / y); };
  const double ratio = value_b / value_a;
  const double down = std::hypot(distance(value_b, b.low), distance(a.high, value_a));
  const double up = std::hypot(distance(b.high, value_b), distance(value_a, a.low));
  return {ratio * std::exp(-down), ratio * std::exp(up)};
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::optional<Interval> median_interval(const std::vector<double>& samples) {
  const std::size_t n = samples.size();
  if (n < least_samples) return {};
  const double count = static_cast<double>(n);
  const auto block = block_of(n);
  const double middle = median(samples);
  std::vector<double> below;
  for (const double x : samples) below.push_back(x < middle ? 1.0 : x > middle ? 0.0 : 0.5);
  const double deviation = std::sqrt(variance_of_sum(below, block));
  // In ranks. The first is what independent samples need, whatever their distribution.
  const double width =
      std::max(normal * std::sqrt(count) / 2, student_t(n / block - 1) * deviation);
  const auto rank = static_cast<std::size_t>(std::max(std::floor(count / 2 - width + 0.5), 1.0));
  auto ordered = samples;
  std::sort(ordered.begin(), ordered.end());
  return Interval{ordered[rank - 1], ordered[n - rank]};
}

std::optional<Interval> mean_interval(const std::vector<double>& samples) {
  const std::size_t n = samples.size();
  if (n < least_samples) return {};
  const double count = static_cast<double>(n);
  double mean = 0, squares = 0;
  for (const double x : samples) mean += x / count;
  for (const double x : samples) squares += (x - mean) * (x - mean);
  const auto block = block_of(n);
  // As of the median, at least what independent samples need.
  const double half =
      std::max(student_t(n - 1) * std::sqrt(squares / (count - 1) / count),
               student_t(n / block - 1) * std::sqrt(variance_of_sum(samples, block)) / count);
  return Interval{mean - half, mean + half};
}

std::optional<Interval> sample_range(std::vector<double> samples) {
  const std::size_t n = samples.size();
  if (n < least_samples) return {};
  std::sort(samples.begin(), samples.end());
  const std::size_t outside = n / 40;  // 2.5 % on each side
  return range_of_any({samples[outside], samples[n - 1 - outside]}, median(samples), n);
}

Interval range_of_any(const Interval& range, double middle, std::size_t count) {
  // The range of few samples is too narrow: ten normal samples span the eleventh in 82 % of all
  // cases. Widened by this factor they do in 95 % (tests/platform/base/statistics.cpp).
  const double wider = 1 + 8 / static_cast<double>(count);
  return {middle * std::pow(range.low / middle, wider),
          middle * std::pow(range.high / middle, wider)};
}

Estimate mean_of_runs(const std::vector<double>& values) {
  const double count = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double x : values) mean += std::log(x) / count;
  for (const double x : values) squares += (std::log(x) - mean) * (std::log(x) - mean);
  Estimate estimate{std::exp(mean), {}, {}};
  if (values.size() < 2) return estimate;
  const double half = student_t(values.size() - 1) * std::sqrt(squares / (count - 1) / count);
  estimate.run = Interval{std::exp(mean - half), std::exp(mean + half)};
  estimate.median = estimate.run;
  return estimate;
}

Ratio compared(const Estimate& a, const Estimate& b, double threshold) {
  Ratio ratio{b.value / a.value, {}, Difference::ambiguous};
  if (!a.run || !b.run || a.run->low <= 0 || b.run->low <= 0) return ratio;
  const double most = 1 + threshold;
  ratio.interval = over(*b.run, *a.run, a.value, b.value);
  if (ratio.interval->low > 1 && ratio.value > most) {
    ratio.difference = Difference::slower;
  } else if (ratio.interval->high < 1 && ratio.value < 1 / most) {
    ratio.difference = Difference::faster;
  } else if (a.median && b.median) {
    const auto medians = over(*b.median, *a.median, a.value, b.value);
    if (medians.low >= 1 / most && medians.high <= most) {
      ratio.interval = medians;
      ratio.difference = Difference::same;
    }
  }
  return ratio;
}

}  // namespace parallax
