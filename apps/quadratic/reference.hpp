// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The coefficients of the equations, and their roots by the formula that does not cancel.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "exercise/api.hpp"

namespace parallax::quadratic {

/// Uniform on [low, low + width), by a fused multiply-add, which makes the same bits on every
/// processor; or a, b or c (column 0, 1 or 2) of a few equations over and over: with a double root,
/// without one, with a = 0, with either sign, with b = 0, with cancellation, with c = 0.
template <class T>
struct Coefficient {
  std::int64_t seed;
  T low, width;
  int column;
  bool edges;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const {
    constexpr T equations[9][3] = {{1, 2, 1},  {1, 2, 2}, {0, -3, 1}, {2, -3, 1}, {-1, 3, -2},
                                   {1, 0, -4}, {1, 0, 4}, {1, 64, 1}, {3, 5, 0}};
    return edges ? equations[i % 9][column] : Kokkos::fma(data::uniform_at<T>(seed, i), width, low);
  }
};

template <class T>
struct Coefficients {
  Coefficient<T> a, b, c;

  /// The same root by the formula that does not cancel, in the widest type.
  [[nodiscard]] double root(std::int64_t i) const {
    const long double u = a(i), v = b(i), w = c(i), root = std::sqrt(v * v - 4 * u * w);
    return static_cast<double>(v < 0 ? (root - v) / (2 * u) : -2 * w / (v + root));
  }
  /// b b, the difference and the square root round by eps b in all, where pow is four units off
  /// (CUDA's powf) by 2.75 eps b; and 2 a divides it.
  [[nodiscard]] double tolerance(std::int64_t i) const {
    constexpr double eps = std::numeric_limits<T>::epsilon();
    const double u = std::abs(a(i)), v = std::abs(b(i));
    return u == 0 ? 0 : 4 * eps * v / (2 * u);  // a = 0: infinity, and nothing else
  }
};

/// NaN, where it is expected, as a number that is no root.
inline double counted(double root) { return std::isnan(root) ? -1e30 : root; }

}  // namespace parallax::quadratic
