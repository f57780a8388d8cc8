// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace parallax {

/// NaN of none.
double median(std::vector<double> values);

struct Interval {
  double low = 0, high = 0;
};

/// Fewer samples have no 95 % interval of their median: even the whole range holds it less often.
inline constexpr std::size_t least_samples = 6;

/// The 95 % interval of the median, from samples in the order in which they were taken: neighbours
/// in time are alike, which the block bootstrap counts in. docs/intervals.md explains it;
/// python/parallax/twins/interval.py computes the same. Nothing where there are too few samples.
std::optional<Interval> median_interval(const std::vector<double>& samples);

/// The same of their mean, which the energy of a row is (docs/energy.md).
std::optional<Interval> mean_interval(const std::vector<double>& samples);

/// The range of another sample with 95 %: as far as one run of a program may be off, because what
/// slows all samples of a run does not average out over them. Nothing where there are too few
/// samples.
std::optional<Interval> sample_range(std::vector<double> samples);
/// The same from the least and greatest of `count` samples and their median.
Interval range_of_any(const Interval& range, double middle, std::size_t count);

/// A time, and its possible range.
struct Estimate {
  double value = 0;
  std::optional<Interval> median;  ///< of the median in this run
  std::optional<Interval> run;     ///< of the median in any run of the same program
};

/// The geometric mean of the runs' values, and Student's 95 % interval of it: the only one that has
/// seen how runs differ. The interval is empty for one run.
Estimate mean_of_runs(const std::vector<double>& values);

enum class Difference { same, faster, slower, ambiguous };

struct Ratio {
  double value = 0;                  ///< of b to a
  std::optional<Interval> interval;  ///< by which it was judged
  Difference difference = Difference::ambiguous;
};

/// `slower` and `faster`: the ratio is beyond the threshold (0.02: 1.02 and 1/1.02), and its
/// interval over runs excludes 1. `same`: the interval of the medians lies within the threshold.
/// `ambiguous`: all else, also where an interval is missing.
Ratio compared(const Estimate& a, const Estimate& b, double threshold);

}  // namespace parallax
