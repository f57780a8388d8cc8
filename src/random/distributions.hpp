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

/// sum[l] = c[0] + x[l] c[1] + x[l]^2 c[2] + ..., for all lanes at once: they share the loading of
/// the coefficients, which costs a GPU the same as the multiply-adds.
template <class Real, int Lanes, int N>
KOKKOS_INLINE_FUNCTION void polynomial(Real (&sum)[Lanes], const Real (&x)[Lanes],
                                       const Real (&c)[N]) {
  for (int l = 0; l < Lanes; ++l) sum[l] = c[N - 1];
  for (int k = N - 2; k >= 0; --k)
    for (int l = 0; l < Lanes; ++l) sum[l] = Kokkos::fma(sum[l], x[l], c[k]);
}

/// The double of these upper and lower halves.
KOKKOS_INLINE_FUNCTION double from_halves(std::uint32_t upper, std::uint32_t lower) {
  return Kokkos::bit_cast<double>((std::uint64_t{upper} << 32) | lower);
}

// Radius and angle are made for several pairs at once, without branches, so that hosts vectorise
// the loops and a GPU has independent work. Whole numbers become floating-point ones by way of
// their bits: n + 2^23 (2^52) has n in its lowest bits. A conversion takes a GPU four to eight
// times as long as an addition.

/// sqrt(-2 log(u)) for u = unit_positive_f32(bits). With u = 2^e m and sqrt(1/2) <= m < sqrt(2),
/// log u = e log 2 + log(1 + f) by the polynomial of Cephes's logf (S. Moshier).
template <int Lanes>
KOKKOS_INLINE_FUNCTION void normal_radius(const std::uint32_t (&bits)[Lanes], float (&out)[Lanes]) {
  constexpr float c[] = {-0.5F,
                         3.3333331174E-1F,
                         -2.4999993993E-1F,
                         2.0000714765E-1F,
                         -1.6668057665E-1F,
                         1.4249322787E-1F,
                         -1.2420140846E-1F,
                         1.1676998740E-1F,
                         -1.1514610310E-1F,
                         7.0376836292E-2F};
  constexpr std::uint32_t root_half = 0x3F3504F3U;
  float e[Lanes], f[Lanes], sum[Lanes];
  for (int l = 0; l < Lanes; ++l) {
    const auto whole = static_cast<float>((bits[l] >> 8) + 1);  // 2^24 u
    const std::uint32_t x = Kokkos::bit_cast<std::uint32_t>(whole) - root_half;
    f[l] = Kokkos::bit_cast<float>((x & 0x007FFFFFU) + root_half) - 1;
    e[l] = Kokkos::bit_cast<float>((x >> 23) + 0x4B000000U) - 8388632.0F;  // 2^23 + 24
  }
  polynomial(sum, f, c);
  for (int l = 0; l < Lanes; ++l) {
    const float log = Kokkos::fma(e[l], 0.69314718F, Kokkos::fma(f[l] * f[l], sum[l], f[l]));
    out[l] = Kokkos::sqrt(-2.0F * log);
  }
}

/// The same for u = unit_positive_f64(bits), with log m = 2 atanh(s), s = (m - 1) / (m + 1), by the
/// polynomial in s^2 of fdlibm's e_log.c (Sun Microsystems).
template <int Lanes>
KOKKOS_INLINE_FUNCTION void normal_radius(const std::uint64_t (&bits)[Lanes],
                                          double (&out)[Lanes]) {
  constexpr double c[] = {2.0,
                          6.666666666666735130e-1,
                          3.999999999940941908e-1,
                          2.857142874366239149e-1,
                          2.222219843214978396e-1,
                          1.818357216161805012e-1,
                          1.531383769920937332e-1,
                          1.479819860511658591e-1};
  constexpr std::uint32_t root_half = 0x3FE6A09EU;
  double e[Lanes], s[Lanes], d[Lanes], z[Lanes], sum[Lanes];
  float seed[Lanes];
  for (int l = 0; l < Lanes; ++l) {
    const std::uint64_t n = (bits[l] >> 11) + 1;  // 2^53 u; its upper half counts in 2^32
    const double whole =
        (from_halves(0x45300000U, static_cast<std::uint32_t>(n >> 32)) - 0x1.00000001p84) +
        from_halves(0x43300000U, static_cast<std::uint32_t>(n));
    const auto word = Kokkos::bit_cast<std::uint64_t>(whole);
    const std::uint32_t x = static_cast<std::uint32_t>(word >> 32) - root_half;
    const double m = from_halves((x & 0x000FFFFFU) + root_half, static_cast<std::uint32_t>(word));
    e[l] = from_halves(0x43300000U, x >> 20) - 4503599627370549.0;  // 2^52 + 53
    d[l] = m + 1;
    s[l] = m - 1;
  }
  // A division costs the same as the series: the reciprocal in single precision, then two of
  // Newton's steps.
  for (int l = 0; l < Lanes; ++l) seed[l] = 1.0F / static_cast<float>(d[l]);
  for (int l = 0; l < Lanes; ++l) {
    const auto r0 = static_cast<double>(seed[l]);
    const double r1 = Kokkos::fma(r0, Kokkos::fma(-d[l], r0, 1.0), r0);
    s[l] *= Kokkos::fma(r1, Kokkos::fma(-d[l], r1, 1.0), r1);
    z[l] = s[l] * s[l];
  }
  polynomial(sum, z, c);
  for (int l = 0; l < Lanes; ++l)
    out[l] = Kokkos::sqrt(Kokkos::fma(e[l], -1.3862943611198906, -2 * s[l] * sum[l]));
}

/// radius * (cos, sin) of 2 pi a, a = unit_f32(bits): reduced exactly to an eighth of a turn, then
/// the polynomials of Cephes's sinf.
template <int Lanes>
KOKKOS_INLINE_FUNCTION void on_circle(const std::uint32_t (&bits)[Lanes],
                                      const float (&radius)[Lanes], float (&x)[Lanes],
                                      float (&y)[Lanes]) {
  constexpr float cs[] = {-1.6666654611E-1F, 8.3321608736E-3F, -1.9515295891E-4F};
  constexpr float cc[] = {1.0F, -0.5F, 4.166664568298827E-2F, -1.388731625493765E-3F,
                          2.443315711809948E-5F};
  float t[Lanes], z[Lanes], s[Lanes], c[Lanes];
  std::uint32_t quarter[Lanes];
  for (int l = 0; l < Lanes; ++l) {
    const std::uint32_t a = bits[l] >> 8;
    quarter[l] = (a + (1U << 21)) >> 22;
    const std::uint32_t rest = a - (quarter[l] << 22);  // -2^21 .. 2^21 - 1, modulo 2^32
    t[l] = (Kokkos::bit_cast<float>(rest + 0x4B400000U) - 12582912.0F) * 0x1.921fb6p-22F;
    z[l] = t[l] * t[l];
  }
  polynomial(s, z, cs);
  polynomial(c, z, cc);
  for (int l = 0; l < Lanes; ++l) {
    const float sine = Kokkos::fma(t[l] * z[l], s[l], t[l]);
    const bool swap = (quarter[l] & 1U) != 0;
    const float a = swap ? sine : c[l], b = swap ? c[l] : sine;
    const std::uint32_t turn_a = ((quarter[l] + 1) & 2U) << 30, turn_b = (quarter[l] & 2U) << 30;
    x[l] = radius[l] * Kokkos::bit_cast<float>(Kokkos::bit_cast<std::uint32_t>(a) ^ turn_a);
    y[l] = radius[l] * Kokkos::bit_cast<float>(Kokkos::bit_cast<std::uint32_t>(b) ^ turn_b);
  }
}

/// The same of a = unit_f64(bits), by the polynomials of fdlibm's k_sin.c and k_cos.c.
template <int Lanes>
KOKKOS_INLINE_FUNCTION void on_circle(const std::uint64_t (&bits)[Lanes],
                                      const double (&radius)[Lanes], double (&x)[Lanes],
                                      double (&y)[Lanes]) {
  constexpr double cs[] = {-1.66666666666666307295e-1, 8.33333333332211858878e-3,
                           -1.98412698295895385996e-4, 2.75573136213857245213e-6,
                           -2.50507477628578072866e-8, 1.58962301576546568060e-10};
  constexpr double cc[] = {1.0,
                           -0.5,
                           4.16666666666665929218e-2,
                           -1.38888888888730564116e-3,
                           2.48015872888517045348e-5,
                           -2.75573141792967388112e-7,
                           2.08757008419747316778e-9,
                           -1.13585365213876817300e-11};
  double t[Lanes], z[Lanes], s[Lanes], c[Lanes];
  std::uint32_t quarter[Lanes];
  for (int l = 0; l < Lanes; ++l) {
    const std::uint64_t a = bits[l] >> 11;
    quarter[l] = (static_cast<std::uint32_t>(a >> 32) + (1U << 18)) >> 19;
    const std::uint64_t rest = a - (std::uint64_t{quarter[l]} << 51);
    t[l] = (Kokkos::bit_cast<double>(rest + 0x4338000000000000U) - 6755399441055744.0) *
           0x1.921fb54442d18p-51;
    z[l] = t[l] * t[l];
  }
  polynomial(s, z, cs);
  polynomial(c, z, cc);
  for (int l = 0; l < Lanes; ++l) {
    const double sine = Kokkos::fma(t[l] * z[l], s[l], t[l]);
    const bool swap = (quarter[l] & 1U) != 0;
    const double a = swap ? sine : c[l], b = swap ? c[l] : sine;
    const std::uint64_t turn_a = std::uint64_t{(quarter[l] + 1) & 2U} << 62,
                        turn_b = std::uint64_t{quarter[l] & 2U} << 62;
    x[l] = radius[l] * Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(a) ^ turn_a);
    y[l] = radius[l] * Kokkos::bit_cast<double>(Kokkos::bit_cast<std::uint64_t>(b) ^ turn_b);
  }
}

/// Box and Muller's transform, pair by pair.
template <class Real, int Lanes, class Bits>
KOKKOS_INLINE_FUNCTION void normal_pairs(const Bits (&radius_bits)[Lanes],
                                         const Bits (&angle_bits)[Lanes], Real (&first)[Lanes],
                                         Real (&second)[Lanes]) {
  Real radius[Lanes];
  normal_radius(radius_bits, radius);
  on_circle(angle_bits, radius, first, second);
}

}  // namespace detail

/// Two normal(0, 1) draws by Box and Muller's transform from 128 random bits. Finite always: 0 is
/// not in the range of the logarithm's argument, so the radius is at most sqrt(2 * 53 * ln 2)
/// = 8.57.
KOKKOS_INLINE_FUNCTION Pair<double> normal_pair_f64(std::uint64_t radius_bits,
                                                    std::uint64_t angle_bits) {
  double first[1], second[1];
  detail::normal_pairs<double, 1, std::uint64_t>({radius_bits}, {angle_bits}, first, second);
  return {first[0], second[0]};
}

/// The same in single precision from 64 random bits; at most sqrt(2 * 24 * ln 2) = 5.77 from 0.
KOKKOS_INLINE_FUNCTION Pair<float> normal_pair_f32(std::uint32_t radius_bits,
                                                   std::uint32_t angle_bits) {
  float first[1], second[1];
  detail::normal_pairs<float, 1, std::uint32_t>({radius_bits}, {angle_bits}, first, second);
  return {first[0], second[0]};
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

/// The per_block<Real> standard normals of each block, in order.
template <class Real, int Lanes>
KOKKOS_INLINE_FUNCTION void block_normals(const Blocks<Lanes>& blocks,
                                          Real (&out)[Lanes][per_block<Real>]) {
  Real first[Lanes], second[Lanes];
  for (int k = 0; k < per_block<Real>; k += 2) {
    if constexpr (std::is_same_v<Real, double>) {
      std::uint64_t radius[Lanes], angle[Lanes];
      for (int l = 0; l < Lanes; ++l) {
        radius[l] = blocks.bits64(0, l);
        angle[l] = blocks.bits64(1, l);
      }
      detail::normal_pairs<Real>(radius, angle, first, second);
    } else {
      detail::normal_pairs<Real>(blocks.word[k], blocks.word[k + 1], first, second);
    }
    for (int l = 0; l < Lanes; ++l) {
      out[l][k] = first[l];
      out[l][k + 1] = second[l];
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
  Real values[1][per_block<Real>];
  block_normals(philox_blocks<1>(seed, i / per_block<Real>, stream), values);
  return values[0][i % per_block<Real>];
}

}  // namespace parallax::random
