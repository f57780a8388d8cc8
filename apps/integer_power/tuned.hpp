// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// integer_power by fewer products, and on wide accesses: the memory is the limit for every
// exponent.
#pragma once

#include <Kokkos_Core.hpp>

#include "device/elementwise.hpp"
#include "device/transform.hpp"

namespace parallax::kernels::integer_power {

/// x^n by products, from the exponent's bits: x^13 = x^8 x^4 x^1. A square for every bit and a
/// product for every bit that is set, the first of them with 1.
///
/// A negative exponent takes powers of 1 / x (lesson.hpp says why). One rounding more goes into
/// every factor, so that the result is good to about n units for either sign.
///
/// It takes packs (transform.hpp) and goes over the bits outside, over the lanes inside: all lanes
/// have the same exponent, so a CPU multiplies a whole vector by one instruction, and a GPU's
/// threads all take the same branch.
struct ByBits {
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
template <class Space, class Array>
void multiply(const Space& space, const Array& x, const Array& y, int n) {
  constexpr const char* label = "parallax::integer_power::multiply";
  if (n == 2) {
    transform(label, space, y, elementwise::Square{}, x);
  } else {
    transform_packs(label, space, y, ByBits{n}, x);
  }
}

}  // namespace parallax::kernels::integer_power
