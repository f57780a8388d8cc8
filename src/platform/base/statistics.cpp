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

}  // namespace parallax
