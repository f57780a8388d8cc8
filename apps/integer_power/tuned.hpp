// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// integer_power: y[i] = x[i]^n for a whole number n.
//
// a**2 is a call of pow in many languages, and pow is made for any exponent: a logarithm, a
// product and an exponential, with extra digits that keep the error within one or two units in the
// last place. That is some hundred instructions where x * x is one. The memory moves the same
// 2 sizeof(T) bytes for both, and its bandwidth decides only where the arithmetic is done sooner.
//
// Squares are exact or rounded once, so `multiply` gives them equal everywhere. Higher powers round
// at every product: x^n is good to about n units of the last place, where pow keeps one or two.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "device/elementwise.hpp"
#include "device/transform.hpp"

namespace parallax::kernels {

/// y[i] = pow(x[i], n): `x` and `y` are rank-1 views of one real type and extent. 0^0 is 1, and a
/// negative power of 0 is infinite, as IEEE 754 has it.
template <class Space, class X, class Y>
void integer_power_pow(const Space& space, const X& x, const Y& y, int n) {
  using T = typename Y::non_const_value_type;
  static_assert(X::rank() == 1 && Y::rank() == 1, "integer_power takes rank-1 views");
  Kokkos::parallel_for(
      "parallax::integer_power::pow",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
          space, 0, static_cast<std::int64_t>(y.extent(0))),
      KOKKOS_LAMBDA(std::int64_t i) { y(i) = Kokkos::pow(x(i), static_cast<T>(n)); });
}

/// x^n by products, from the exponent's bits: x^13 = x^8 x^4 x^1. A product for every bit and one
/// for every bit that is set; the first bit that is set needs none.
///
/// A negative exponent takes powers of 1 / x, not the reciprocal of a power: x^20 overflows where
/// x^-20 is still a subnormal number, and 1 / infinity would be 0. One rounding more goes into
/// every factor, so that the result is good to about n units for either sign.
///
/// It takes packs (transform.hpp) and goes over the bits outside, over the lanes inside: all lanes
/// have the same exponent, so a CPU multiplies a whole vector by one instruction, and a GPU's
/// threads all take the same branch.
struct PowerByMultiplying {
  int n;
  template <class P>
  KOKKOS_FUNCTION P operator()(const P& x) const {
    constexpr int lanes = sizeof(P) / sizeof(x.value[0]);
    P square = x, power;
    if (n < 0)
      for (int l = 0; l < lanes; ++l) square.value[l] = 1 / square.value[l];
    for (int l = 0; l < lanes; ++l) power.value[l] = 1;
    for (unsigned bits = static_cast<unsigned>(n < 0 ? -n : n); bits != 0; bits >>= 1) {
      if (bits & 1)
        for (int l = 0; l < lanes; ++l) power.value[l] *= square.value[l];
      for (int l = 0; l < lanes; ++l) square.value[l] *= square.value[l];
    }
    return power;
  }
};

/// y[i] = x[i]^n by products; a negative n gives (1 / x)^-n. The square, which most programs mean,
/// is one product without a loop.
template <class Space, class X, class Y>
void integer_power_multiply(const Space& space, const X& x, const Y& y, int n) {
  constexpr const char* label = "parallax::integer_power::multiply";
  if (n == 2) {
    transform(label, space, y, elementwise::Square{}, x);
  } else {
    transform_packs(label, space, y, PowerByMultiplying{n}, x);
  }
}

}  // namespace parallax::kernels
