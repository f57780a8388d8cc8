// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// row_sum by the library: a matrix times a vector of ones, KokkosBlas::gemv. It reads the ones as
// well, and multiplies by them, which costs nothing beside the matrix.
#pragma once

#include <KokkosBlas2_gemv.hpp>
#include <Kokkos_Core.hpp>

namespace parallax::kernels {

/// sums = a * ones, where `ones` has an element for each column of `a`.
template <class Space, class Matrix, class Ones, class Sums>
void row_sum_library(const Space& space, const Matrix& a, const Ones& ones, const Sums& sums) {
  using T = typename Matrix::non_const_value_type;
  if (a.extent(0) == 0) return;
  if (a.extent(1) == 0) {  // some libraries refuse an empty row
    Kokkos::deep_copy(space, sums, T(0));
    return;
  }
  KokkosBlas::gemv(space, "N", T(1), a, ones, T(0), sums);
}

}  // namespace parallax::kernels
