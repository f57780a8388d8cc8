// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// memory_kinds in blocks of neighbouring elements, whose sums are independent: a CPU keeps them in
// vector registers. A GPU thread has one element, as in lesson.hpp, whose kinds of memory these
// are.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "device/tuning.hpp"
#include "memory_kinds/lesson.hpp"

namespace parallax::kernels {

/// Elements i..i+lanes-1 of the convolution, where they exist.
template <int lanes, class In, class Out, class Weights>
KOKKOS_FUNCTION void convolve_block(const In& in, const Out& out, const Weights& weights, int taps,
                                    std::int64_t i) {
  using T = typename Out::non_const_value_type;
  const auto n = static_cast<std::int64_t>(out.extent(0));
  const T* x = in.data() + i;
  if (i + lanes <= n) {
    T sum[lanes] = {};
    for (int k = 0; k < taps; ++k) {
      const T w = weights(k);
      for (int l = 0; l < lanes; ++l) sum[l] += w * x[l + k];
    }
    for (int l = 0; l < lanes; ++l) out(i + l) = sum[l];
  } else {
    for (std::int64_t j = i; j < n; ++j) {
      T sum = 0;
      for (int k = 0; k < taps; ++k) sum += weights(k) * in(j + k);
      out(j) = sum;
    }
  }
}

/// One index for each block, weights from `weights(k)`: a View or a Filter.
template <class Space, class In, class Weights, class Out>
void convolve_blocks(const char* label, const Space& space, const In& in, const Weights& weights,
                     int taps, const Out& out) {
  constexpr int lanes = vector_lanes<Space, typename Out::non_const_value_type>;
  const auto n = static_cast<std::int64_t>(out.extent(0));
  Kokkos::parallel_for(
      label,
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0,
                                                                  (n + lanes - 1) / lanes),
      KOKKOS_LAMBDA(std::int64_t b) { convolve_block<lanes>(in, out, weights, taps, b * lanes); });
}

template <class Space, class In, class Weights, class Out>
void memory_kinds_global_blocks(const Space& space, const In& in, const Weights& weights, int taps,
                                const Out& out) {
  convolve_blocks("parallax::memory_kinds::global_blocks", space, in, weights, taps, out);
}

template <class Space, class In, class T, class Out>
void memory_kinds_constant_blocks(const Space& space, const In& in, const Filter<T>& filter,
                                  int taps, const Out& out) {
  convolve_blocks("parallax::memory_kinds::constant_blocks", space, in, filter, taps, out);
}

}  // namespace parallax::kernels
