// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// zero_out: data[i] = 0 for every i.
//
// The course launches 1024 blocks of 5 threads, one element each; nothing beyond the end may be
// written. Memory is only written: n sizeof(T) bytes over the bandwidth of a write is the least
// time. (On a CPU without non-temporal stores every cache line is read before it is overwritten.)
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "device/transform.hpp"

namespace parallax::kernels {

/// One index for every element: the form to write first. `data` is a rank-1 view.
template <class Space, class Data>
void zero_out_range(const Space& space, const Data& data) {
  static_assert(Data::rank() == 1, "zero_out takes a rank-1 view");
  Kokkos::parallel_for(
      "parallax::zero_out::range",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
          space, 0, static_cast<std::int64_t>(data.extent(0))),
      KOKKOS_LAMBDA(std::int64_t i) { data(i) = 0; });
}

/// What a program should call: the library's fill. Zeros are a special case in it (cudaMemsetAsync,
/// hipMemsetAsync, on OpenMP memset for small arrays and else a parallel loop); other values are a
/// kernel. The instance as the first argument makes it asynchronous; without it, it fences.
template <class Space, class Data>
void zero_out_deep_copy(const Space& space, const Data& data) {
  Kokkos::deep_copy(space, data, typename Data::non_const_value_type(0));
}

/// Zero, whatever it is given.
template <class T>
struct Zero {
  template <class... Old>
  KOKKOS_FUNCTION T operator()(const Old&...) const {
    return T(0);
  }
};

/// 16 bytes a GPU thread, past the cache on a CPU (transform.hpp). A GPU's function does not use
/// the old element that it is given, so the compiler drops the load of it, and nothing is read.
template <class Space, class Data>
void zero_out_wide(const Space& space, const Data& data) {
  constexpr const char* label = "parallax::zero_out::wide";
  const Zero<typename Data::non_const_value_type> zero;
  if constexpr (is_host_space<Space>) {
    transform(label, space, data, zero);
  } else {
    transform(label, space, data, zero, data);
  }
}

}  // namespace parallax::kernels
