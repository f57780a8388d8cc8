// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// What integration2d's sums must be, and how far a sum of doubles may be off.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace parallax::integration2d {

/// sum_i sin((i + 1/2) h) and sum_i cos((i + 1/2) h), begin <= i < end, in closed form.
struct DiscreteSums {
  double sine, cosine;
  DiscreteSums(std::int64_t begin, std::int64_t end, double h) {
    const double middle = static_cast<double>(begin + end) * h / 2;
    const double length = std::sin(static_cast<double>(end - begin) * h / 2) / std::sin(h / 2);
    sine = std::sin(middle) * length;
    cosine = std::cos(middle) * length;
  }
};

/// What the midpoint rule itself gives for rows begin <= i < end, free of rounding:
/// sin(x + y) = sin x cos y + cos x sin y.
inline double exact_sum(std::int64_t n, double y_upper, std::int64_t begin, std::int64_t end) {
  const double h_x = std::numbers::pi / static_cast<double>(n);
  const double h_y = y_upper / static_cast<double>(n);
  const DiscreteSums x(begin, end, h_x), y(0, n, h_y);
  return h_x * h_y * (x.sine * y.cosine + x.cosine * y.sine);
}
inline double exact_sum(std::int64_t n, double y_upper) { return exact_sum(n, y_upper, 0, n); }

/// How far a sum of doubles may be off, over the sum of its terms' absolute values. A term that
/// goes through d additions is rounded d times, each time by at most u = eps/2 of the sum then; the
/// signs are as good as random, and the sum is then within lambda sqrt(d) u, but for one time in
/// exp(lambda^2/2) / 2d (Higham and Mary, A new approach to probabilistic rounding error analysis,
/// SIAM J. Sci. Comput. 41, 2019): with lambda = 8, d = 1e7, one in 4 million. The worst case, d u,
/// would no longer show a lost point at the course's size.
inline double summation(double additions) {
  constexpr double u = std::numeric_limits<double>::epsilon() / 2;
  return 8 * std::sqrt(additions) * u;
}

}  // namespace parallax::integration2d
