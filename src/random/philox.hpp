// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Philox4x32-10, a counter-based generator: the i-th block of random bits depends only on
// (key, i). There is no state to store, to seed or to share: thread i asks for block i, and the
// numbers are the same on every backend whatever the number of threads.
//
// Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011, doi:10.1145/2063384.2063405. tests/random checks it against the vectors
// published with Random123. Cost: ten rounds of two 32x32 -> 64 bit products and four exclusive ors
// give 128 random bits.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "device/unroll.hpp"

namespace parallax::random {

/// Four words of 32 bits: a counter on the way in, random bits on the way out.
struct Block {
  std::uint32_t word[4];

  /// The block's first (k = 0) or second (k = 1) 64 random bits, low word first.
  KOKKOS_INLINE_FUNCTION constexpr std::uint64_t bits64(int k) const {
    return word[2 * k] | (std::uint64_t{word[2 * k + 1]} << 32);
  }
};

/// The 64-bit key, which changes from round to round by the golden ratio and sqrt(3) - 1, as
/// fractions of 2^32.
struct PhiloxKey {
  std::uint32_t k0, k1;
  KOKKOS_INLINE_FUNCTION constexpr void bump() {
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
};

KOKKOS_INLINE_FUNCTION constexpr void philox_round(std::uint32_t& a, std::uint32_t& b,
                                                   std::uint32_t& c, std::uint32_t& d,
                                                   const PhiloxKey& key) {
  constexpr std::uint32_t m0 = 0xD2511F53U, m1 = 0xCD9E8D57U;
  const std::uint64_t p = std::uint64_t{m0} * a, q = std::uint64_t{m1} * c;
  a = static_cast<std::uint32_t>(q >> 32) ^ b ^ key.k0;
  c = static_cast<std::uint32_t>(p >> 32) ^ d ^ key.k1;
  b = static_cast<std::uint32_t>(q);
  d = static_cast<std::uint32_t>(p);
}

/// Philox4x32-10 of `counter` under `key`.
KOKKOS_INLINE_FUNCTION constexpr Block philox4x32(Block counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    philox_round(counter.word[0], counter.word[1], counter.word[2], counter.word[3], key);
    key.bump();
  }
  return counter;
}

/// Block `index` of one of 2^64 streams of a seed. Streams of one seed do not overlap: give each
/// array or column that needs independent numbers its own stream.
KOKKOS_INLINE_FUNCTION constexpr Block philox_block(std::uint64_t seed, std::uint64_t index,
                                                    std::uint64_t stream = 0) {
  const Block counter{{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                       static_cast<std::uint32_t>(stream),
                       static_cast<std::uint32_t>(stream >> 32)}};
  return philox4x32(counter,
                    {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
}

/// `Lanes` neighbouring blocks at once, word by word: the same bits as philox_block gives one by
/// one, in loops that a host's compiler turns into SIMD.
template <int Lanes>
struct Blocks {
  std::uint32_t word[4][Lanes];

  KOKKOS_INLINE_FUNCTION constexpr std::uint64_t bits64(int k, int lane) const {
    return word[2 * k][lane] | (std::uint64_t{word[2 * k + 1][lane]} << 32);
  }
};

/// Blocks `first`, `first + step`, ... of a stream.
template <int Lanes>
KOKKOS_INLINE_FUNCTION constexpr Blocks<Lanes> philox_blocks(std::uint64_t seed,
                                                             std::uint64_t first,
                                                             std::uint64_t stream = 0,
                                                             std::uint64_t step = 1) {
  Blocks<Lanes> r{};
  for (int l = 0; l < Lanes; ++l) {
    const std::uint64_t index = first + static_cast<std::uint64_t>(l) * step;
    r.word[0][l] = static_cast<std::uint32_t>(index);
    r.word[1][l] = static_cast<std::uint32_t>(index >> 32);
    r.word[2][l] = static_cast<std::uint32_t>(stream);
    r.word[3][l] = static_cast<std::uint32_t>(stream >> 32);
  }
  PhiloxKey key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  // Written out: with eight lanes nvcc leaves the rounds a loop, whose moves and 32-bit halves cost
  // a GPU a tenth of the time of an array of normals.
  kernels::unrolled<10>([&](auto) {
    for (int l = 0; l < Lanes; ++l) {
      philox_round(r.word[0][l], r.word[1][l], r.word[2][l], r.word[3][l], key);
    }
    key.bump();
  });
  return r;
}

}  // namespace parallax::random
