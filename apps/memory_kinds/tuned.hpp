// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// memory_kinds in blocks of neighbouring elements, whose sums are independent: a CPU keeps them in
// vector registers. A GPU thread has one element. The kinds of memory are lesson.hpp's.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "device/tuning.hpp"
#include "memory_kinds/lesson.hpp"

namespace parallax::kernels::memory_kinds {

/// Elements i..i+lanes-1 of the convolution, where they exist.
template <int lanes, class Array, class Weights>
KOKKOS_FUNCTION void convolve_block(const Array& in, const Weights& weights, int taps,
                                    const Array& out, std::int64_t i) {
  using T = typename Array::value_type;
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
template <class Space, class Array, class Weights>
void convolve_blocks(const char* label, const Space& space, const Array& in, const Weights& weights,
                     int taps, const Array& out) {
  constexpr int lanes = vector_lanes<Space, typename Array::value_type>;
  const auto n = static_cast<std::int64_t>(out.extent(0));
  Kokkos::parallel_for(
      label, Range<Space>(space, 0, (n + lanes - 1) / lanes),
      KOKKOS_LAMBDA(std::int64_t b) { convolve_block<lanes>(in, weights, taps, out, b * lanes); });
}

template <class Space, class Array>
void global_blocks(const Space& space, const Array& in, const Array& weights, int taps,
                   const Array& out) {
  convolve_blocks("parallax::memory_kinds::global_blocks", space, in, weights, taps, out);
}

template <class Space, class Array>
void constant_blocks(const Space& space, const Array& in,
                     const Filter<typename Array::value_type>& filter, int taps, const Array& out) {
  convolve_blocks("parallax::memory_kinds::constant_blocks", space, in, filter, taps, out);
}

}  // namespace parallax::kernels::memory_kinds
