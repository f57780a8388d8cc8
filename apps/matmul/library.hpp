// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// matmul by the library: KokkosBlas::gemm, which is cuBLAS, rocBLAS or a BLAS where Kokkos Kernels
// was built with one, and its own kernel where it was not.
#pragma once

#include <KokkosBlas3_gemm.hpp>
#include <Kokkos_Core.hpp>

namespace parallax::kernels {

/// C = A B, or C += A B.
template <class Space, class MatrixA, class MatrixB, class MatrixC>
void matmul_library(const Space& space, const MatrixA& a, const MatrixB& b, const MatrixC& c,
                    bool add = false) {
  using T = typename MatrixC::non_const_value_type;
  if (c.size() == 0) return;
  if (a.extent(1) == 0) {  // some libraries refuse a depth of 0
    if (!add) Kokkos::deep_copy(space, c, T(0));
    return;
  }
  KokkosBlas::gemm(space, "N", "N", T(1), a, b, T(add ? 1 : 0), c);
}

}  // namespace parallax::kernels
