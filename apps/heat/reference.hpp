// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "exercise/api.hpp"
#include "heat/lesson.hpp"

namespace parallax::heat {

/// The plate before the first step: hot discs on a warm plate, and noise everywhere, so that no two
/// neighbours are alike; or sin(pi x) sin(pi y), an eigenmode, which keeps its form. Within 0..1.
struct Plate {
  struct Disc {
    double x, y, radius, heat;
  };
  static constexpr int discs = 12;
  std::int64_t rows, columns;  ///< inner points
  std::int64_t seed;
  bool eigenmode;
  Disc disc[discs];

  Plate(std::int64_t inner_rows, std::int64_t inner_columns, std::int64_t of_noise, bool mode)
      : rows(inner_rows), columns(inner_columns), seed(of_noise), eigenmode(mode) {
    const auto random = [&](std::int64_t i) { return data::uniform_at<double>(seed, -1 - i); };
    for (int d = 0; d < discs; ++d)
      disc[d] = {random(3 * d), random(3 * d + 1), 0.02 + 0.1 * random(3 * d + 2),
                 0.5 + 0.03125 * d};
  }

  /// Row i and column j of all, the frame included.
  KOKKOS_FUNCTION double operator()(std::int64_t i, std::int64_t j) const {
    const double y = static_cast<double>(i) / static_cast<double>(rows + 1);
    const double x = static_cast<double>(j) / static_cast<double>(columns + 1);
    if (eigenmode) {
      if (i == 0 || j == 0 || i > rows || j > columns) return 0;
      return Kokkos::sin(std::numbers::pi * x) * Kokkos::sin(std::numbers::pi * y);
    }
    double heat = 0.125;
    for (const auto& d : disc)
      if (Kokkos::hypot(x - d.x, y - d.y) < d.radius) heat = d.heat;
    return heat + 0.125 * data::uniform_at<double>(seed, i * (columns + 2) + j);
  }

  /// What an eigenmode is multiplied by in a step.
  [[nodiscard]] double decay() const {
    const auto part = [](std::int64_t n) {
      const double s = std::sin(std::numbers::pi / (2.0 * static_cast<double>(n + 1)));
      return s * s;
    };
    return 1 - 4 * double{kernels::heat::a} * (part(rows) + part(columns));
  }
};

/// Element k of a rank's part of the plate.
struct Start {
  Plate plate;
  std::int64_t first_row;
  KOKKOS_FUNCTION double operator()(std::int64_t k) const {
    const std::int64_t width = plate.columns + 2;
    return plate(first_row + k / width, k % width);
  }
};

/// The plate after its steps by plain loops, for the rows `own` of a rank and the row on each side.
/// What they depend on, a row more for each step, is computed with them.
template <class T>
std::vector<T> spread(const Plate& plate, const Share& own, int steps) {
  const time_spent::Timer referring(time_spent::Part::references);
  const std::int64_t width = plate.columns + 2;
  const std::int64_t begin = std::max<std::int64_t>(0, own.begin - steps);
  const std::int64_t rows = std::min(plate.rows + 2, own.begin + own.count + 2 + steps) - begin;
  std::vector<T> now(static_cast<std::size_t>(rows * width));
  check::on_all_cores(rows, [&](std::int64_t i) {
    for (std::int64_t j = 0; j < width; ++j)
      now[i * width + j] = static_cast<T>(plate(begin + i, j));
  });
  auto next = now;
  for (int step = 0; step < steps; ++step) {
    check::on_all_cores(rows - 2, [&](std::int64_t row) {
      const T* const u = &now[(row + 1) * width];
      T* const to = &next[(row + 1) * width];
      for (std::int64_t j = 1; j < width - 1; ++j) {
        const T around = u[j - width] + u[j + width] + u[j - 1] + u[j + 1];
        to[j] = u[j] / 2 + around / 8;
      }
    });
    std::swap(now, next);
  }
  const auto first = now.begin() + (own.begin - begin) * width;
  return {first, first + (own.count + 2) * width};
}

/// Judges what a rank has of the plate after its steps: its own rows, and of the rows on their
/// sides those that are the frame's.
template <class T>
class Reference {
 public:
  Reference(const Plate& plate, const Share& own, int steps)
      : plate_(plate), own_(own), steps_(steps) {}

  template <class Found>
  Verdict operator()(const Found& found) {
    const std::int64_t width = plate_.columns + 2;
    const std::int64_t begin = own_.begin == 0 ? 0 : 1;
    const std::int64_t end = own_.count + (own_.begin + own_.count == own_.total ? 2 : 1);
    const auto at = [&](std::int64_t k) { return found(begin + k / width, k % width); };
    // Of sums of two, three and four numbers of at most 1 and their difference from four, an
    // eighth; and of the sum with it: 21/16 epsilon a step, here as there, or in the decay.
    const double epsilon = std::numeric_limits<T>::epsilon();
    const double tolerance = (3.0 * steps_ + (plate_.eigenmode ? 4 : 0)) * epsilon;
    const auto compared = [&](const char* with, const auto& expected) {
      return check::elements(with, (end - begin) * width, at, expected, tolerance);
    };
    const double sum = check::sum(own_.count * plate_.columns, [&](std::int64_t k) {
      return static_cast<double>(found(1 + k / plate_.columns, 1 + k % plate_.columns));
    });
    Values values{{"sum", ranks::total(sum)}};
    if (plate_.eigenmode) {
      const double decay = std::pow(plate_.decay(), steps_);
      values.emplace_back("decay", decay);
      return compared("every point with the eigenmode's exact decay",
                      [&](std::int64_t k) {
                        return decay * plate_(own_.begin + begin + k / width, k % width);
                      })
          .with(values);
    }
    if (values_.empty()) values_ = spread<T>(plate_, own_, steps_);
    return compared(
               "every point with serial steps",
               [&](std::int64_t k) { return values_[static_cast<std::size_t>(begin * width + k)]; })
        .with(values);
  }

 private:
  Plate plate_;
  Share own_;
  int steps_;
  std::vector<T> values_;
};

}  // namespace parallax::heat
