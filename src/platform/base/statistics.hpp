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
/// in time are alike, which the block bootstrap counts in. docs/measuring.md explains it;
/// python/parallax/intervals.py computes the same. Nothing where there are too few samples.
std::optional<Interval> median_interval(const std::vector<double>& samples);

/// The same of their mean, which the energy of a row is (docs/measuring.md#energy).
std::optional<Interval> mean_interval(const std::vector<double>& samples);

}  // namespace parallax
