// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// normalize by the library: KokkosBlas::nrm2, whose result comes to the host and is waited for,
// then KokkosBlas::scal. Whether squares may overflow on the way is up to the library beneath:
// nothing is promised outside of 1e-145 to 1e154 (f64) or 1e-19 to 1e19 (f32).
#pragma once

#include <Kokkos_Core.hpp>
#if defined(PARALLAX_HAVE_KOKKOS_KERNELS)
#include <KokkosBlas1_nrm2.hpp>
#include <KokkosBlas1_scal.hpp>

namespace parallax::kernels::normalize {

inline constexpr const char* no_kokkos_kernels = "";

/// out = v / norm2(v), and 0 where that is 0.
template <class Space, class Array, class Norm>
void kokkos_kernels(const Space& space, const Array& v, const Array& out, const Norm& norm) {
  using T = typename Array::value_type;
  const T length = v.extent(0) == 0 ? T(0) : static_cast<T>(KokkosBlas::nrm2(space, v));
  Kokkos::deep_copy(space, norm, length);
  if (v.extent(0) > 0) KokkosBlas::scal(space, out, length == 0 ? T(0) : T(1) / length, v);
}

}  // namespace parallax::kernels::normalize
#else

namespace parallax::kernels::normalize {

inline constexpr const char* no_kokkos_kernels = "built without Kokkos Kernels";

template <class... Arguments>
void kokkos_kernels(const Arguments&...) {}

}  // namespace parallax::kernels::normalize
#endif
