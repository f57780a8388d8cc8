// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

/// The generators of src/random once more, in plain serial C++: checks compare with them. They
/// share no code with what they check, SplitMix64 included.
namespace parallax::reference {

/// xoroshiro128+, whose jump goes bit by bit through the authors' polynomial.
struct Xoroshiro {
  std::uint64_t s0, s1;

  static Xoroshiro seeded(std::uint64_t seed) {
    std::uint64_t z = seed + 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return {z, z};
  }
  std::uint64_t next() {
    const std::uint64_t result = s0 + s1, t = s0 ^ s1;
    s0 = ((s0 << 55) | (s0 >> 9)) ^ t ^ (t << 14);
    s1 = (t << 36) | (t >> 28);
    return result;
  }
  /// In [0, 1], rounded to single precision.
  float uniform() { return static_cast<float>(std::ldexp(static_cast<double>(next() >> 11), -53)); }
  void jump() {
    Xoroshiro sum{0, 0};
    for (const std::uint64_t word : {0xBEAC0467EBA5FACBu, 0xD86B048B86AA9922u})
      for (int bit = 0; bit < 64; ++bit) {
        if ((word >> bit) & 1) sum = {sum.s0 ^ s0, sum.s1 ^ s1};
        next();
      }
    *this = sum;
  }
};

/// The streams of a seed, each a jump after the one before: n of them from `begin` on.
inline std::vector<Xoroshiro> streams(std::uint64_t seed, std::int64_t n, std::int64_t begin = 0) {
  std::vector<Xoroshiro> all;
  all.reserve(static_cast<std::size_t>(n));
  auto state = Xoroshiro::seeded(seed);
  for (std::int64_t i = 0; i < begin; ++i) state.jump();
  for (std::int64_t i = 0; i < n; ++i, state.jump()) all.push_back(state);
  return all;
}

/// How many states, an array on the host, differ from those expected.
template <class States>
std::int64_t differing(const States& states, const std::vector<Xoroshiro>& expected) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    count += states(i).s0 != expected[i].s0 || states(i).s1 != expected[i].s1 ? 1 : 0;
  return count;
}

/// Philox4x32-10 of counter `index` (128 bits: index, then stream) under the key `seed`.
inline std::array<std::uint32_t, 4> philox(std::uint64_t seed, std::uint64_t index,
                                           std::uint64_t stream = 0) {
  std::array<std::uint32_t, 4> x{
      static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
      static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)};
  std::uint32_t k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    const std::uint64_t p = 0xD2511F53ull * x[0], q = 0xCD9E8D57ull * x[2];
    x = {static_cast<std::uint32_t>(q >> 32) ^ x[1] ^ k0, static_cast<std::uint32_t>(q),
         static_cast<std::uint32_t>(p >> 32) ^ x[3] ^ k1, static_cast<std::uint32_t>(p)};
  }
  return x;
}

/// Bits of element i of an array filled from Philox: 64 bits each, two to a block, or 32 bits, four
/// to a block.
template <class Bits>
Bits philox_bits(std::uint64_t seed, std::uint64_t i) {
  if constexpr (sizeof(Bits) == 8) {
    const auto x = philox(seed, i / 2);
    const std::size_t k = 2 * (i % 2);
    return x[k] | (std::uint64_t{x[k + 1]} << 32);
  } else {
    return philox(seed, i / 4)[i % 4];
  }
}

/// Element i of an array of uniform reals on [low, high): one rounding of low + u (high - low),
/// below `high`.
template <class Real>
Real uniform(std::uint64_t seed, std::uint64_t i, Real low, Real high) {
  Real u;
  if constexpr (sizeof(Real) == 8) {
    u = std::ldexp(static_cast<Real>(philox_bits<std::uint64_t>(seed, i) >> 11), -53);
  } else {
    u = std::ldexp(static_cast<Real>(philox_bits<std::uint32_t>(seed, i) >> 8), -24);
  }
  return std::min(std::fma(u, high - low, low), std::nextafter(high, low));
}

}  // namespace parallax::reference
