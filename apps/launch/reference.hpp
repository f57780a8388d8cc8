// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The tasks of launch: where they start, and what is there after them.
#pragma once

#include <cstdint>
#include <string>

#include "exercise/api.hpp"

namespace parallax::launch {

/// Kernels to launch: a separate phase for each row.
struct Task {
  std::string name;
  std::int64_t n;  ///< elements of a kernel
  int kernels;
  bool chain;  ///< all on the same elements, one after the other
  [[nodiscard]] std::int64_t elements() const { return chain ? n : n * kernels; }
};

/// Numbers without an order, so that none can be made from its index.
struct Start {
  KOKKOS_FUNCTION std::int32_t operator()(std::int64_t i) const {
    return static_cast<std::int32_t>((static_cast<std::uint32_t>(i) + 1u) * 2654435761u);
  }
};

/// x after all its steps: 3^steps x + shift, modulo 2^32.
inline std::int32_t expected(const Task& task, std::int64_t i) {
  std::uint32_t factor = 1, shift = 0;
  const auto first = task.chain ? 0 : static_cast<std::uint32_t>(i / task.n);
  const auto last = task.chain ? static_cast<std::uint32_t>(task.kernels) : first + 1;
  for (auto k = first; k < last; ++k) {
    factor *= 3;
    shift = 3 * shift + k;
  }
  return static_cast<std::int32_t>(factor * static_cast<std::uint32_t>(Start()(i)) + shift);
}

}  // namespace parallax::launch
