// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// row_sum by the library: a matrix times a vector of ones, KokkosBlas::gemv. It reads the ones as
// well, and multiplies by them, which costs nothing beside the matrix.
#pragma once

#include <Kokkos_Core.hpp>
#include <string_view>
#if defined(PARALLAX_HAVE_KOKKOS_KERNELS)
#include <KokkosBlas2_gemv.hpp>

namespace parallax::kernels::row_sum {

inline constexpr std::string_view no_kokkos_kernels;

/// sums = a * ones, where `ones` has an element for each column of `a`.
template <class Space, class Matrix, class Ones, class Sums>
void kokkos_kernels(const Space& space, const Matrix& a, const Ones& ones, const Sums& sums) {
  using T = typename Matrix::non_const_value_type;
  if (a.extent(0) == 0) return;
  if (a.extent(1) == 0) {  // some libraries refuse an empty row
    Kokkos::deep_copy(space, sums, T(0));
    return;
  }
  KokkosBlas::gemv(space, "N", T(1), a, ones, T(0), sums);
}

}  // namespace parallax::kernels::row_sum
#else

namespace parallax::kernels::row_sum {

inline constexpr std::string_view no_kokkos_kernels = "built without Kokkos Kernels";

template <class... Arguments>
void kokkos_kernels(const Arguments&...) {}

}  // namespace parallax::kernels::row_sum
#endif
