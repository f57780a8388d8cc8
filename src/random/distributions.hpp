// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Random bits to numbers: uniform and normal draws, with their ranges stated. Everything is a
// device function.
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "random/philox.hpp"

namespace parallax::random {

/// Uniform on [0, 1): 0 is possible, 1 is not. Multiples of 2^-53, each equally likely.
KOKKOS_INLINE_FUNCTION constexpr double unit_f64(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// Uniform on [0, 1): 0 is possible, 1 is not. Multiples of 2^-24, each equally likely.
KOKKOS_INLINE_FUNCTION constexpr float unit_f32(std::uint32_t bits) {
  return static_cast<float>(bits >> 8) * 0x1p-24F;
}

/// Uniform on (0, 1]: 1 is possible, 0 is not, so that a logarithm can be taken. Multiples of
/// 2^-53.
KOKKOS_INLINE_FUNCTION constexpr double unit_positive_f64(std::uint64_t bits) {
  return static_cast<double>((bits >> 11) + 1) * 0x1p-53;
}

/// Uniform on (0, 1]: 1 is possible, 0 is not. Multiples of 2^-24.
KOKKOS_INLINE_FUNCTION constexpr float unit_positive_f32(std::uint32_t bits) {
  return static_cast<float>((bits >> 8) + 1) * 0x1p-24F;
}

/// Uniform on [low, high): `low` is possible, `high` is not, although low + u * (high - low) may
/// round up to it. Made on the host, called on the device. The product is a fused multiply-add
/// everywhere, so that all backends give the same bits.
template <class Real>
class Uniform {
  static_assert(std::is_same_v<Real, float> || std::is_same_v<Real, double>,
                "Uniform draws are f32 or f64.");

 public:
  Uniform(Real low, Real high) : low_(low), width_(high - low), last_(std::nextafter(high, low)) {}

  /// From 64 random bits (f64) or 32 (f32).
  using Bits = std::conditional_t<std::is_same_v<Real, double>, std::uint64_t, std::uint32_t>;
  KOKKOS_INLINE_FUNCTION Real operator()(Bits bits) const {
    Real u;
    if constexpr (std::is_same_v<Real, double>) {
      u = unit_f64(bits);
    } else {
      u = unit_f32(bits);
    }
    const Real value = Kokkos::fma(u, width_, low_);
    return value < last_ ? value : last_;
  }

 private:
  Real low_, width_, last_;
};

/// Two independent standard normals.
template <class Real>
struct Pair {
  Real first, second;
};

/// Two normal(0, 1) draws by Box and Muller's transform from 128 random bits. Finite always: the
/// radius is at most sqrt(2 * 53 * ln 2) = 8.57, since 0 is not in the range of the logarithm's
/// argument.
KOKKOS_INLINE_FUNCTION Pair<double> normal_pair_f64(std::uint64_t radius_bits,
                                                    std::uint64_t angle_bits) {
  const double radius = Kokkos::sqrt(-2.0 * Kokkos::log(unit_positive_f64(radius_bits)));
  const double angle = 6.283185307179586 * unit_f64(angle_bits);
  return {radius * Kokkos::cos(angle), radius * Kokkos::sin(angle)};
}

/// The same in single precision from 64 random bits; at most sqrt(2 * 24 * ln 2) = 5.77 from 0.
KOKKOS_INLINE_FUNCTION Pair<float> normal_pair_f32(std::uint32_t radius_bits,
                                                   std::uint32_t angle_bits) {
  const float radius = Kokkos::sqrt(-2.0F * Kokkos::log(unit_positive_f32(radius_bits)));
  const float angle = 6.2831855F * unit_f32(angle_bits);
  return {radius * Kokkos::cos(angle), radius * Kokkos::sin(angle)};
}

/// How many numbers of type Real one Philox block gives.
template <class Real>
inline constexpr int per_block = std::is_same_v<Real, double> ? 2 : 4;

/// Number k (0 .. per_block - 1) of a block as bits for Uniform<Real>.
template <class Real>
KOKKOS_INLINE_FUNCTION constexpr auto block_bits(const Block& block, int k) {
  if constexpr (std::is_same_v<Real, double>) {
    return block.bits64(k);
  } else {
    return block.word[k];
  }
}

/// The block's per_block<Real> standard normals, in order.
template <class Real>
KOKKOS_INLINE_FUNCTION void block_normals(const Block& block, Real (&out)[per_block<Real>]) {
  if constexpr (std::is_same_v<Real, double>) {
    const Pair<double> p = normal_pair_f64(block.bits64(0), block.bits64(1));
    out[0] = p.first;
    out[1] = p.second;
  } else {
    for (int k = 0; k < 4; k += 2) {
      const Pair<float> p = normal_pair_f32(block.word[k], block.word[k + 1]);
      out[k] = p.first;
      out[k + 1] = p.second;
    }
  }
}

/// Element `i` of the array of uniform draws that `seed` and `stream` define: the simplest use, and
/// the same numbers as fill_uniform gives, at the price of a whole block for each number.
template <class Real>
KOKKOS_INLINE_FUNCTION Real uniform_at(const Uniform<Real>& uniform, std::uint64_t seed,
                                       std::uint64_t i, std::uint64_t stream = 0) {
  const Block block = philox_block(seed, i / per_block<Real>, stream);
  return uniform(block_bits<Real>(block, static_cast<int>(i % per_block<Real>)));
}

/// Element `i` of the array of normal(0, 1) draws that `seed` and `stream` define.
template <class Real>
KOKKOS_INLINE_FUNCTION Real normal_at(std::uint64_t seed, std::uint64_t i,
                                      std::uint64_t stream = 0) {
  Real values[per_block<Real>];
  block_normals(philox_block(seed, i / per_block<Real>, stream), values);
  return values[i % per_block<Real>];
}

}  // namespace parallax::random
