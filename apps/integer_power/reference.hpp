// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The bases of integer_power, and their powers in the widest type.
#pragma once

#include <cstdint>

#include "exercise/api.hpp"

namespace parallax::integer_power {

/// Uniform on [0.5, 1.5), whose powers up to the 64th neither overflow nor vanish; or the same with
/// every second one negative; or 1, 2, 3...
template <class T>
struct Base {
  std::int64_t seed;
  bool counting, with_signs;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const {
    if (counting) return static_cast<T>(i + 1);
    const T x = T(0.5) + data::uniform_at<T>(seed, i);
    return with_signs && i % 2 != 0 ? -x : x;
  }
};

/// One product after the other, in the widest type.
inline long double power(long double x, int n) {
  long double y = 1;
  for (int k = 0; k < (n < 0 ? -n : n); ++k) y *= x;
  return n < 0 ? 1 / y : y;
}

}  // namespace parallax::integer_power
