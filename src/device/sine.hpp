// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// A sine of one's own: short, branch-free and the same to the last bit on every backend.
//
// A library's sine must be right for every argument, so it branches to a long reduction for large
// ones; that branch keeps compilers from vectorising a loop over it, and on a GPU costs registers.
// Here the argument is known to be moderate. sin t = (-1)^k sin r with r = t - k pi in [-pi/2,
// pi/2], and sin r is an odd polynomial. All steps are multiply-adds and two integer operations:
//
//   k   = round(t / pi): adding 1.5 * 2^(bits) pushes the fraction out of the significand,
//         and leaves the parity of k in the lowest bit of the sum
//   r   = t - k pi, with pi in two parts, so that r keeps its digits where t is close to k pi
//   sin = r + r^3 P(r^2)
//
// The coefficients are our own: Remez exchange in 113-bit arithmetic minimised the largest relative
// error of r + r^3 P(r^2) over (0, pi/2]; each coefficient in turn was rounded to the type and the
// rest fitted anew. The polynomials are off by 5.4e-18 (double, 8 terms) and 6.2e-9 (float, 4
// terms). With all the roundings, the worst error found is 1.7 units in the last place in double
// and 2.1 in float (every float was tried) for t in [0, 6.4]. In float, pi in two parts serves up
// to |t| of some tens; in double, far beyond a million.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace parallax::kernels {

/// c0 + c1 x + c2 x^2 + ..., by Horner's rule, one multiply-add for each term.
template <class T>
KOKKOS_INLINE_FUNCTION T polynomial(T, T c0) {
  return c0;
}
template <class T, class... Rest>
KOKKOS_INLINE_FUNCTION T polynomial(T x, T c0, Rest... rest) {
  return Kokkos::fma(x, polynomial(x, rest...), c0);
}

namespace sine_detail {

KOKKOS_INLINE_FUNCTION double odd_terms(double u) {
  return polynomial(u, -0x1.5555555555555p-3, 0x1.11111111110c8p-7, -0x1.a01a01a014d6fp-13,
                    0x1.71de3a52a0b16p-19, -0x1.ae6454dd6c3b8p-26, 0x1.6123d3c83a4ep-33,
                    -0x1.ae46d945cf2bep-41, 0x1.88bcce80db4e2p-49);
}
KOKKOS_INLINE_FUNCTION float odd_terms(float u) {
  return polynomial(u, -0x1.55554cp-3f, 0x1.110edap-7f, -0x1.9f70eep-13f, 0x1.5dc8c4p-19f);
}

template <class T>
struct Reduction;
template <>
struct Reduction<double> {
  using Bits = std::uint64_t;
  static constexpr double inverse_pi = 0x1.45f306dc9c883p-2, round = 0x1.8p52;
  static constexpr double pi_high = 0x1.921fb54442d18p+1, pi_low = 0x1.1a62633145c07p-53;
};
template <>
struct Reduction<float> {
  using Bits = std::uint32_t;
  static constexpr float inverse_pi = 0x1.45f306p-2f, round = 0x1.8p23f;
  static constexpr float pi_high = 0x1.921fb6p+1f, pi_low = -0x1.777a5cp-24f;
};

}  // namespace sine_detail

/// sin(t), t in radians, T = float or double. Needs the default rounding and no reassociation
/// (-ffast-math would remove the rounding step).
template <class T>
KOKKOS_INLINE_FUNCTION T sine(T t) {
  using R = sine_detail::Reduction<T>;
  using Bits = typename R::Bits;
  const T shifted = Kokkos::fma(t, R::inverse_pi, R::round);
  const T k = shifted - R::round;
  const T r = Kokkos::fma(-k, R::pi_low, Kokkos::fma(-k, R::pi_high, t));
  const T u = r * r;
  // An odd k turns the sign: its lowest bit, moved up to the sign bit, flips r.
  const Bits sign = Kokkos::bit_cast<Bits>(shifted) << (8 * sizeof(T) - 1);
  const T s = Kokkos::bit_cast<T>(Kokkos::bit_cast<Bits>(r) ^ sign);
  return Kokkos::fma(s * u, sine_detail::odd_terms(u), s);
}

/// Floating-point instructions of one sine: each takes the place of a multiply-add.
template <class T>
inline constexpr int sine_operations = sizeof(T) == 8 ? 14 : 10;

}  // namespace parallax::kernels
