// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// transpose by Kokkos: a row-major matrix of columns x rows is, in memory, a column-major one of
// rows x columns. A copy between the two layouts is a transposition.
#pragma once

#include <Kokkos_Core.hpp>

namespace parallax::kernels::transpose {

template <class Space, class Matrix>
void deep_copy(const Space& space, const Matrix& in, const Matrix& out) {
  const Kokkos::View<typename Matrix::value_type**, Kokkos::LayoutLeft,
                     typename Matrix::memory_space, Kokkos::MemoryUnmanaged>
      turned(out.data(), in.extent(0), in.extent(1));
  Kokkos::deep_copy(space, turned, in);
}

}  // namespace parallax::kernels::transpose
