// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "platform/base/error.hpp"

namespace parallax {

/// What one rank does of something that is counted: `begin` to before `begin + count`, of `total`.
struct Share {
  std::int64_t begin = 0, count = 0, total = 0;
};

/// How work is divided among ranks.
struct Division {
  int rank = 0, ranks = 1;
  bool weak = false;  ///< each rank does all that a parameter says; else they divide it

  /// Neighbouring ranks do neighbouring parts; the first n % ranks do one more.
  [[nodiscard]] Share of(std::int64_t n) const {
    if (std::int64_t total = 0; weak) {
      if (__builtin_mul_overflow(n, ranks, &total))
        throw UsageError("--scaling weak: " + std::to_string(n) + " on each of " +
                         std::to_string(ranks) + " ranks are more than 2^63 - 1");
      return {n * rank, n, total};
    }
    const std::int64_t each = n / ranks, more = n % ranks;
    return {each * rank + std::min<std::int64_t>(rank, more), each + (rank < more ? 1 : 0), n};
  }
};

}  // namespace parallax
