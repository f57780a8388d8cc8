// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Philox4x32-10, a counter-based generator: the i-th block of random bits is a function of (key, i)
// alone. There is no state to store, to seed or to share: thread i asks for block i, and the
// numbers are the same on every backend whatever the number of threads.
//
// Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011, doi:10.1145/2063384.2063405. tests/random checks it against the vectors
// published with Random123. Cost: ten rounds of two 32x32 -> 64 bit products and four exclusive ors
// give 128 random bits.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace parallax::random {

/// Four words of 32 bits: a counter on the way in, random bits on the way out.
struct Block {
  std::uint32_t word[4];

  /// The block's first (k = 0) or second (k = 1) 64 random bits, low word first.
  KOKKOS_INLINE_FUNCTION constexpr std::uint64_t bits64(int k) const {
    return word[2 * k] | (std::uint64_t{word[2 * k + 1]} << 32);
  }
};

/// Philox4x32-10 of `counter` under the 64-bit key {key0, key1}.
KOKKOS_INLINE_FUNCTION constexpr Block philox4x32(Block counter, std::uint32_t key0,
                                                  std::uint32_t key1) {
  std::uint32_t a = counter.word[0], b = counter.word[1], c = counter.word[2], d = counter.word[3];
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p = std::uint64_t{0xD2511F53U} * a;
    const std::uint64_t q = std::uint64_t{0xCD9E8D57U} * c;
    a = static_cast<std::uint32_t>(q >> 32) ^ b ^ key0;
    b = static_cast<std::uint32_t>(q);
    c = static_cast<std::uint32_t>(p >> 32) ^ d ^ key1;
    d = static_cast<std::uint32_t>(p);
    key0 += 0x9E3779B9U;  // the golden ratio and sqrt(3) - 1, as fractions of 2^32
    key1 += 0xBB67AE85U;
  }
  return Block{{a, b, c, d}};
}

/// Block `index` of one of 2^64 streams of a seed. Streams of one seed do not overlap: give each
/// array or column that needs independent numbers a stream of its own.
KOKKOS_INLINE_FUNCTION constexpr Block philox_block(std::uint64_t seed, std::uint64_t index,
                                                    std::uint64_t stream = 0) {
  const Block counter{{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                       static_cast<std::uint32_t>(stream),
                       static_cast<std::uint32_t>(stream >> 32)}};
  return philox4x32(counter, static_cast<std::uint32_t>(seed),
                    static_cast<std::uint32_t>(seed >> 32));
}

}  // namespace parallax::random
