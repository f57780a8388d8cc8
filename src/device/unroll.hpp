// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

namespace parallax::kernels {

/// The number I, as a type: std::integral_constant for device code.
template <int I>
struct Constant {
  KOKKOS_FUNCTION constexpr operator int() const { return I; }
};

/// Calls f(0), f(1), ... f(N - 1), written out: the numbers are constants of separate types. An
/// array that is only indexed by such constants can live in registers. Compilers unroll loops by
/// their own judgement, the larger the body the less, and one loop left over puts the whole array
/// into memory.
template <int N, int First = 0, class F>
KOKKOS_FORCEINLINE_FUNCTION constexpr void unrolled(const F& f) {
  if constexpr (First < N) {
    f(Constant<First>{});
    unrolled<N, First + 1>(f);
  }
}

}  // namespace parallax::kernels
