// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace parallax {

/// Number i of SplitMix64's sequence for a seed (Steele, Lea and Flood, 2014): 64 bits in which
/// each bit of the seed and of i shows.
KOKKOS_INLINE_FUNCTION constexpr std::uint64_t split_mix64(std::uint64_t seed,
                                                           std::uint64_t i = 0) {
  std::uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace parallax
