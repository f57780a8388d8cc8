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

namespace detail {

/// c[0] + x c[1] + x^2 c[2] + ...
template <class Real, int N>
KOKKOS_INLINE_FUNCTION Real polynomial(Real x, const Real (&c)[N]) {
  Real sum = c[N - 1];
  for (int k = N - 2; k >= 0; --k) sum = Kokkos::fma(sum, x, c[k]);
  return sum;
}

/// log(u) for normal numbers in (0, 1], without branches, so that hosts can vectorise it: u = 2^e m
/// with sqrt(1/2) <= m < sqrt(2), and log m = 2 atanh((m - 1) / (m + 1)) by its series.
KOKKOS_INLINE_FUNCTION double log_unit(double u) {
  constexpr double c[] = {2.0,        2.0 / 3.0,  2.0 / 5.0,  2.0 / 7.0,  2.0 / 9.0, 2.0 / 11.0,
                          2.0 / 13.0, 2.0 / 15.0, 2.0 / 17.0, 2.0 / 19.0, 2.0 / 21.0};
  const auto bits = Kokkos::bit_cast<std::int64_t>(u);
  const std::int64_t e = (bits - 0x3FE6A09E667F3BCD) >> 52;  // the bits of sqrt(1/2)
  const auto m = Kokkos::bit_cast<double>(bits - e * (std::int64_t{1} << 52));
  // A division costs as much as the series: the reciprocal in single precision, then two of
  // Newton's steps.
  const double d = m + 1, r0 = static_cast<double>(1.0F / static_cast<float>(d));
  const double r1 = Kokkos::fma(r0, Kokkos::fma(-d, r0, 1.0), r0);
  const double s = (m - 1) * Kokkos::fma(r1, Kokkos::fma(-d, r1, 1.0), r1);
  return Kokkos::fma(static_cast<double>(e), 0.6931471805599453, s * polynomial(s * s, c));
}
KOKKOS_INLINE_FUNCTION float log_unit(float u) {
  constexpr float c[] = {2.0F, 2.0F / 3.0F, 2.0F / 5.0F, 2.0F / 7.0F, 2.0F / 9.0F, 2.0F / 11.0F};
  const auto bits = Kokkos::bit_cast<std::int32_t>(u);
  const std::int32_t e = (bits - 0x3F3504F3) >> 23;
  const auto m = Kokkos::bit_cast<float>(bits - e * (std::int32_t{1} << 23));
  const float s = (m - 1) / (m + 1);
  return Kokkos::fma(static_cast<float>(e), 0.6931472F, s * polynomial(s * s, c));
}

/// cos and sin of 2 pi a for a in [0, 1): reduced exactly to an eighth of a turn, then by Taylor's
/// series.
KOKKOS_INLINE_FUNCTION Pair<double> cos_sin_turns(double a) {
  constexpr double cs[] = {
      1.0,          -1.0 / 6,        1.0 / 120,          -1.0 / 5040,
      1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0, -1.0 / 1307674368000.0};
  constexpr double cc[] = {1.0,
                           -1.0 / 2,
                           1.0 / 24,
                           -1.0 / 720,
                           1.0 / 40320,
                           -1.0 / 3628800,
                           1.0 / 479001600,
                           -1.0 / 87178291200.0,
                           1.0 / 20922789888000.0};
  const int quarter = static_cast<int>(Kokkos::fma(4.0, a, 0.5));
  const double t = (Kokkos::fma(4.0, a, -static_cast<double>(quarter))) * 1.5707963267948966;
  const double t2 = t * t, s = t * polynomial(t2, cs), c = polynomial(t2, cc);
  const double x = quarter & 1 ? s : c, y = quarter & 1 ? c : s;
  return {(quarter + 1) & 2 ? -x : x, quarter & 2 ? -y : y};
}
KOKKOS_INLINE_FUNCTION Pair<float> cos_sin_turns(float a) {
  constexpr float cs[] = {1.0F, -1.0F / 6, 1.0F / 120, -1.0F / 5040, 1.0F / 362880};
  constexpr float cc[] = {1.0F, -1.0F / 2, 1.0F / 24, -1.0F / 720, 1.0F / 40320, -1.0F / 3628800};
  const int quarter = static_cast<int>(Kokkos::fma(4.0F, a, 0.5F));
  const float t = (Kokkos::fma(4.0F, a, -static_cast<float>(quarter))) * 1.5707964F;
  const float t2 = t * t, s = t * polynomial(t2, cs), c = polynomial(t2, cc);
  const float x = quarter & 1 ? s : c, y = quarter & 1 ? c : s;
  return {(quarter + 1) & 2 ? -x : x, quarter & 2 ? -y : y};
}

}  // namespace detail

/// Two normal(0, 1) draws by Box and Muller's transform from 128 random bits. Finite always: 0 is
/// not in the range of the logarithm's argument, so the radius is at most sqrt(2 * 53 * ln 2)
/// = 8.57.
KOKKOS_INLINE_FUNCTION Pair<double> normal_pair_f64(std::uint64_t radius_bits,
                                                    std::uint64_t angle_bits) {
  const double radius = Kokkos::sqrt(-2.0 * detail::log_unit(unit_positive_f64(radius_bits)));
  const Pair<double> p = detail::cos_sin_turns(unit_f64(angle_bits));
  return {radius * p.first, radius * p.second};
}

/// The same in single precision from 64 random bits; at most sqrt(2 * 24 * ln 2) = 5.77 from 0.
KOKKOS_INLINE_FUNCTION Pair<float> normal_pair_f32(std::uint32_t radius_bits,
                                                   std::uint32_t angle_bits) {
  const float radius = Kokkos::sqrt(-2.0F * detail::log_unit(unit_positive_f32(radius_bits)));
  const Pair<float> p = detail::cos_sin_turns(unit_f32(angle_bits));
  return {radius * p.first, radius * p.second};
}

/// How many numbers of type T (of 64 or 32 bits) one Philox block gives.
template <class T>
inline constexpr int per_block = 16 / static_cast<int>(sizeof(T));

/// Number k (0 .. per_block - 1) of a block, as the bits that Uniform<T> takes.
template <class T, int Lanes>
KOKKOS_INLINE_FUNCTION constexpr auto block_bits(const Blocks<Lanes>& blocks, int k, int lane) {
  if constexpr (sizeof(T) == 8) {
    return blocks.bits64(k, lane);
  } else {
    return blocks.word[k][lane];
  }
}

/// The per_block<Real> standard normals of a block, in order.
template <class Real, int Lanes>
KOKKOS_INLINE_FUNCTION void block_normals(const Blocks<Lanes>& blocks, int lane,
                                          Real (&out)[per_block<Real>]) {
  if constexpr (std::is_same_v<Real, double>) {
    const Pair<double> p = normal_pair_f64(blocks.bits64(0, lane), blocks.bits64(1, lane));
    out[0] = p.first;
    out[1] = p.second;
  } else {
    for (int k = 0; k < 4; k += 2) {
      const Pair<float> p = normal_pair_f32(blocks.word[k][lane], blocks.word[k + 1][lane]);
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
  const auto block = philox_blocks<1>(seed, i / per_block<Real>, stream);
  return uniform(block_bits<Real>(block, static_cast<int>(i % per_block<Real>), 0));
}

/// Element `i` of the array of normal(0, 1) draws that `seed` and `stream` define.
template <class Real>
KOKKOS_INLINE_FUNCTION Real normal_at(std::uint64_t seed, std::uint64_t i,
                                      std::uint64_t stream = 0) {
  Real values[per_block<Real>];
  block_normals(philox_blocks<1>(seed, i / per_block<Real>, stream), 0, values);
  return values[i % per_block<Real>];
}

}  // namespace parallax::random
