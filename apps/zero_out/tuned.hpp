// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// zero_out at the memory's full rate: lesson.hpp's loop with wide stores, past the cache on a CPU.
#pragma once

#include <Kokkos_Core.hpp>

#include "device/transform.hpp"
#include "zero_out/lesson.hpp"

namespace parallax::kernels::zero_out {

/// Zero, whatever it is given.
template <class T>
struct Zero {
  template <class... Old>
  KOKKOS_FUNCTION T operator()(const Old&...) const {
    return T(0);
  }
};

/// Twice 16 bytes a GPU thread, past the cache on a CPU (transform.hpp): with 16 bytes, a GPU takes
/// longer to start the threads than to write. A GPU's function does not use the old element that it
/// is given, so the compiler drops the load of it, and nothing is read.
template <class Space, class Array>
void wide(const Space& space, const Array& data) {
  constexpr const char* label = "parallax::zero_out::wide";
  const Zero<typename Array::value_type> zero;
  if constexpr (is_host_space<Space>) {
    transform(label, space, data, zero);
  } else {
    transform<2>(label, space, data, zero, data);
  }
}

}  // namespace parallax::kernels::zero_out
