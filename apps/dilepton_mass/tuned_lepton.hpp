// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// dilepton_mass: three numbers say all that a pair needs to know of a (massless) lepton,
//
//   w = charge pt e^eta,   x = e^-eta cos phi,   y = e^-eta sin phi,
//
// so that transcendental functions are evaluated once for each lepton and not once for each pair.
// x + iy is the stereographic projection of the lepton's direction, seen along the beam, and |w| =
// E + pz. Since |z1 - z2|^2 = e^(-eta1 - eta2) (2 cosh(eta1 - eta2) - 2 cos(phi1 - phi2)),
//
//   m^2 = 2 pt1 pt2 (cosh(eta1 - eta2) - cos(phi1 - phi2)) = |w1| |w2| |z1 - z2|^2,
//
// two differences, a sum and four products, with no loss beyond the rounding of x and y: m is off
// by a few eps of sqrt(pt1 pt2) e^(|eta1 - eta2| / 2), however light the pair and wherever it goes.
// The product -w1 w2 is positive for opposite charges, and a maximum that starts at 0 ignores all
// others.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "device/sine.hpp"

namespace parallax::kernels::dilepton_mass {

namespace detail {

// e^r = even(r^2) + r odd(r^2) and e^-r = even(r^2) - r odd(r^2): the terms 1/k! as far as |r| <=
// ln(2)/2 needs them. The cosine's are fitted to |r| <= pi/2 for the least absolute error (Remez
// exchange as in sine.hpp; off by 4.3e-18 in double and 5.4e-8 in float): x and y are compared with
// e^-eta.
KOKKOS_INLINE_FUNCTION double exp_even(double u) {
  return polynomial(u, 1.0, 1. / 2, 1. / 24, 1. / 720, 1. / 40320, 1. / 3628800, 1. / 479001600);
}
KOKKOS_INLINE_FUNCTION double exp_odd(double u) {
  return polynomial(u, 1.0, 1. / 6, 1. / 120, 1. / 5040, 1. / 362880, 1. / 39916800,
                    1. / 6227020800);
}
KOKKOS_INLINE_FUNCTION double cos_terms(double u) {
  return polynomial(u, 1.0, -0x1.ffffffffffffdp-2, 0x1.5555555555413p-5, -0x1.6c16c16c0b51cp-10,
                    0x1.a01a0199d97a5p-16, -0x1.27e4f9946ec46p-22, 0x1.1eece52e55920p-29,
                    -0x1.935205382a6bep-37, 0x1.9f455d7da3fabp-45);
}
KOKKOS_INLINE_FUNCTION float exp_even(float u) {
  return polynomial(u, 1.F, 1.F / 2, 1.F / 24, 1.F / 720);
}
KOKKOS_INLINE_FUNCTION float exp_odd(float u) {
  return polynomial(u, 1.F, 1.F / 6, 1.F / 120, 1.F / 5040);
}
KOKKOS_INLINE_FUNCTION float cos_terms(float u) {
  return polynomial(u, 1.F, -0x1.ffffd2p-2F, 0x1.554faap-5F, -0x1.6b3816p-10F, 0x1.850c24p-16F);
}

template <class T>
struct Exponential;
template <>
struct Exponential<double> {
  using Bits = std::uint64_t;
  static constexpr int fraction = 52;
  static constexpr Bits bias = 1023;
  static constexpr double most = 350, round = 0x1.8p52, ln2_high = 0x1.62e42fefa38p-1,
                          ln2_low = 0x1.ef35793c7673p-45;
};
template <>
struct Exponential<float> {
  using Bits = std::uint32_t;
  static constexpr int fraction = 23;
  static constexpr Bits bias = 127;
  static constexpr float most = 40, round = 0x1.8p23F, ln2_high = 0x1.62e4p-1F,
                         ln2_low = 0x1.7f7d1cp-20F;
};

}  // namespace detail

/// What a pair needs to know of a lepton. |eta| counts as 40 (double: 350) where it is larger, so
/// that products of these numbers stay in range: a float holds no e^89.
template <class T>
struct Lepton {
  T w, x, y;

  Lepton() = default;
  KOKKOS_FUNCTION Lepton(T w_, T x_, T y_) : w(w_), x(x_), y(y_) {}

  /// Without branches, so that loops over it become SIMD (compare sine.hpp): if it is inlined,
  /// which g++ ceases to do where there are many calls.
  KOKKOS_FORCEINLINE_FUNCTION Lepton(T pt, T eta, T phi, int charge) {
    using E = detail::Exponential<T>;
    using S = sine_detail::Reduction<T>;
    using Bits = typename E::Bits;
    // eta = k ln 2 + r. The lowest bits of `shifted` are k, and 2^k is a number whose exponent is
    // k.
    const T h = eta < -E::most ? -E::most : eta > E::most ? E::most : eta;
    const T shifted = Kokkos::fma(h, T(1.4426950408889634), E::round), k = shifted - E::round;
    const T r = Kokkos::fma(-k, E::ln2_low, Kokkos::fma(-k, E::ln2_high, h));
    const T even = detail::exp_even(r * r), odd = r * detail::exp_odd(r * r);
    const Bits exponent = Kokkos::bit_cast<Bits>(shifted) << E::fraction;
    const Bits one = E::bias << E::fraction;
    const T grow = (even + odd) * Kokkos::bit_cast<T>(one + exponent);
    T shrink = (even - odd) * Kokkos::bit_cast<T>(one - exponent);
    // phi = j pi + a. An odd j turns the signs of both sine and cosine.
    const T turned = Kokkos::fma(phi, S::inverse_pi, S::round), j = turned - S::round;
    const T a = Kokkos::fma(-j, S::pi_low, Kokkos::fma(-j, S::pi_high, phi)), u = a * a;
    shrink = Kokkos::bit_cast<T>(Kokkos::bit_cast<Bits>(shrink) ^
                                 (Kokkos::bit_cast<Bits>(turned) << (8 * sizeof(T) - 1)));
    w = T((charge > 0) - (charge < 0)) * pt * grow;
    x = shrink * detail::cos_terms(u);
    y = shrink * Kokkos::fma(a * u, sine_detail::odd_terms(u), a);
  }

  /// The pair's squared mass if the charges are opposite, else a number <= 0.
  KOKKOS_FORCEINLINE_FUNCTION T m2(const Lepton& other) const {
    const T dx = x - other.x, dy = y - other.y;
    // The fused product is named: left to the compiler, copies of a loop round differently.
    return -(w * Kokkos::fma(dx, dx, dy * dy) * other.w);
  }
};

}  // namespace parallax::kernels::dilepton_mass
