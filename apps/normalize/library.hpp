// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// normalize by the library: KokkosBlas::nrm2, whose result comes to the host and is waited for,
// then KokkosBlas::scal. Whether squares may overflow on the way is up to the library beneath:
// nothing is promised outside of 1e-145 to 1e154 (f64) or 1e-19 to 1e19 (f32).
#pragma once

#include <KokkosBlas1_nrm2.hpp>
#include <KokkosBlas1_scal.hpp>
#include <Kokkos_Core.hpp>

namespace parallax::kernels {

/// out = v / norm2(v), and 0 where that is 0.
template <class Space, class In, class Out, class Norm>
void normalize_library(const Space& space, const In& v, const Out& out, const Norm& norm) {
  using T = typename In::non_const_value_type;
  const T length = v.extent(0) == 0 ? T(0) : static_cast<T>(KokkosBlas::nrm2(space, v));
  Kokkos::deep_copy(space, norm, length);
  if (v.extent(0) > 0) KokkosBlas::scal(space, out, length == 0 ? T(0) : T(1) / length, v);
}

}  // namespace parallax::kernels
