// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace parallax::data {

/// The seed of an exercise's next input, `step` after its first. The greatest is followed by the
/// least: a signed integer may not overflow.
KOKKOS_INLINE_FUNCTION constexpr std::int64_t next_seed(std::int64_t seed, std::int64_t step = 1) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(seed) +
                                   static_cast<std::uint64_t>(step));
}

}  // namespace parallax::data
