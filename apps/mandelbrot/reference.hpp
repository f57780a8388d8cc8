// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// mandelbrot: the pixels by a serial loop, and what a picture reports.
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exercise/api.hpp"
#include "mandelbrot/lesson.hpp"

namespace parallax::mandelbrot {

/// One pixel after the other, tested after every iteration, with the roundings that the exercise
/// prescribes. Holds the rows that were asked for: all, or those that a rank computes.
template <class T>
class Reference {
 public:
  Reference(const kernels::mandelbrot::Window<T>& window, int rows, int columns, int max_iterations)
      : window_(window),
        columns_(columns),
        max_iterations_(max_iterations),
        rows_(static_cast<std::size_t>(rows)) {}

  /// Makes the `rows` that are not there yet (-1: none). All cores of the host share the rows,
  /// because a large picture takes minutes on one.
  void make(const std::vector<int>& rows) {
    const time_spent::Timer referring(time_spent::Part::references);
    std::vector<int> missing;
    for (const int row : rows) {
      if (row < 0 || !rows_[static_cast<std::size_t>(row)].empty()) continue;
      rows_[static_cast<std::size_t>(row)].resize(static_cast<std::size_t>(columns_));
      missing.push_back(row);
    }
    const auto step = [](T low, T high, int points) {
      return points > 1 ? (high - low) / static_cast<T>(points - 1) : T(0);
    };
    const T real_step = step(window_.real_low, window_.real_high, columns_);
    const T imag_step = step(window_.imag_low, window_.imag_high, static_cast<int>(rows_.size()));
    using Host = Kokkos::DefaultHostExecutionSpace;
    Kokkos::parallel_for(
        "parallax::mandelbrot::reference",
        Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Dynamic>>(0, missing.size()),
        [&](std::size_t i) {
          auto& pixels = rows_[static_cast<std::size_t>(missing[i])];
          const T cy = std::fma(static_cast<T>(missing[i]), imag_step, window_.imag_low);
          for (int column = 0; column < columns_; ++column) {
            const T cx = std::fma(static_cast<T>(column), real_step, window_.real_low);
            T x = cx, y = cy;
            int k = 0;
            for (; k < max_iterations_; ++k) {
              const T next = std::fma(x, x, std::fma(-y, y, cx));
              y = std::fma(x, y, std::fma(x, y, cy));
              x = next;
              if (!(std::fma(x, x, y * y) <= T(4))) break;
            }
            pixels[static_cast<std::size_t>(column)] = k;
          }
        });
    Kokkos::fence("parallax::mandelbrot::reference");
  }
  [[nodiscard]] const std::vector<std::int32_t>& row(int row) const {
    return rows_[static_cast<std::size_t>(row)];
  }
  /// Of pixels that are not at the cap one iteration more than their count, summed over `rows`.
  [[nodiscard]] double iterations(const std::vector<int>& rows) const {
    double sum = 0;
    for (const int i : rows)
      for (const auto count : row(i)) sum += count < max_iterations_ ? count + 1 : max_iterations_;
    return sum;
  }

 private:
  kernels::mandelbrot::Window<T> window_;
  int columns_, max_iterations_;
  std::vector<std::vector<std::int32_t>> rows_;
};

/// The sum over the pixels of all ranks, how many reached the cap, and how often each count occurs
/// where there are few counts. A pixel that a rank has not computed is -1.
template <class Pixels>
Values summary(const Pixels& pixels, int max_iterations) {
  std::int64_t sum = 0, at_cap = 0;
  // A cap of 1e9 would take 8 GB of counts.
  std::vector<std::int64_t> histogram(
      max_iterations <= 100 ? static_cast<std::size_t>(max_iterations) + 1 : 0);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const std::int32_t count = pixels.data()[i];
    if (count < 0) continue;
    sum += count;
    at_cap += count == max_iterations ? 1 : 0;
    if (static_cast<std::size_t>(count) < histogram.size())
      ++histogram[static_cast<std::size_t>(count)];
  }
  ranks::sum(&sum, 1);
  ranks::sum(&at_cap, 1);
  ranks::sum(histogram.data(), histogram.size());
  Values values{{"sum", sum}, {"at_cap", at_cap}};
  if (!histogram.empty()) values.emplace_back("histogram", histogram);
  return values;
}

}  // namespace parallax::mandelbrot
