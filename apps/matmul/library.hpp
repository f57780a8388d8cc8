// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// matmul by the library: KokkosBlas::gemm, which is cuBLAS, rocBLAS or a BLAS where Kokkos Kernels
// was built with one, and its own kernel where it was not.
#pragma once

#include <Kokkos_Core.hpp>
#if defined(PARALLAX_HAVE_KOKKOS_KERNELS)
#include <KokkosBlas3_gemm.hpp>

namespace parallax::kernels::matmul {

inline constexpr const char* no_kokkos_kernels = "";

/// C = A B, or C += A B.
template <class Space, class Matrix>
void kokkos_kernels(const Space& space, const Matrix& a, const Matrix& b, const Matrix& c,
                    bool add = false) {
  using T = typename Matrix::value_type;
  if (c.size() == 0) return;
  if (a.extent(1) == 0) {  // some libraries refuse a depth of 0
    if (!add) Kokkos::deep_copy(space, c, T(0));
    return;
  }
  KokkosBlas::gemm(space, "N", "N", T(1), a, b, T(add ? 1 : 0), c);
}

}  // namespace parallax::kernels::matmul
#else

namespace parallax::kernels::matmul {

inline constexpr const char* no_kokkos_kernels = "built without Kokkos Kernels";

template <class... Arguments>
void kokkos_kernels(const Arguments&...) {}

}  // namespace parallax::kernels::matmul
#endif
