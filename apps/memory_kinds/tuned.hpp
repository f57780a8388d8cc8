// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// memory_kinds in blocks of neighbouring elements, whose sums are independent: a CPU keeps them in
// vector registers. A GPU's thread keeps the elements that it reads in registers, too: it reads
// each of them once, in packs, where the lesson reads it for every weight. The kinds of memory are
// lesson.hpp's.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "device/pack.hpp"
#include "device/tuning.hpp"
#include "memory_kinds/lesson.hpp"

namespace parallax::kernels::memory_kinds {

/// Results of a thread: a host's vectors, or 32 bytes on a device.
template <class Space, class T>
inline constexpr int block_lanes = is_host_space<Space> ? vector_lanes<Space, T>
                                                        : 32 / static_cast<int>(sizeof(T));

/// Adds what weights k.. of a whole block, or `count` of them, give to the sums.
/// Element l + u of `x` is the one that weight k + u of result l wants.
template <int lanes, bool whole, class T, class Weights>
KOKKOS_INLINE_FUNCTION void add_weighted(const T* x, const Weights& weights, int k, int count,
                                         T* sum) {
  for (int u = 0; u < lanes; ++u) {
    if (!whole && u >= count) continue;  // and not break: then x would not stay in registers
    const T w = weights(k + u);
    for (int l = 0; l < lanes; ++l) sum[l] += w * x[l + u];
  }
}

/// The sums of a block whose elements begin with a pack. `x` holds two blocks of elements, the
/// results' own and the next.
template <int lanes, class T, class Weights>
KOKKOS_INLINE_FUNCTION void sums_by_window(const T* from, const Weights& weights, int taps,
                                           T* sum) {
  using P = Pack<T, 16 / sizeof(T)>;
  constexpr int in_pack = 16 / sizeof(T);
  T x[2 * lanes];
  const auto load = [&](int place, const T* block) {
    for (int p = 0; p < lanes / in_pack; ++p) {
      const P pack = reinterpret_cast<const P*>(block)[p];
      for (int l = 0; l < in_pack; ++l) x[place + p * in_pack + l] = pack.value[l];
    }
  };
  load(0, from);
  int k = 0;
  for (; k + lanes <= taps; k += lanes) {
    load(lanes, from + k + lanes);
    add_weighted<lanes, true>(x, weights, k, lanes, sum);
    for (int l = 0; l < lanes; ++l) x[l] = x[lanes + l];
  }
  if (k == taps) return;
  load(lanes, from + k + lanes);
  add_weighted<lanes, false>(x, weights, k, taps - k, sum);
}

/// Elements i..i+lanes-1 of the convolution, where they exist; i is a multiple of lanes.
template <class Space, int lanes, class Array, class Weights>
KOKKOS_FUNCTION void convolve_block(const Array& in, const Weights& weights, int taps,
                                    const Array& out, std::int64_t i, bool packs) {
  using T = typename Array::value_type;
  const auto n = static_cast<std::int64_t>(out.extent(0));
  const T* x = in.data() + i;
  T sum[lanes] = {};
  // The window's last pack may hold elements that no result of the block needs.
  const bool windows = packs && i + taps + 2 * lanes <= static_cast<std::int64_t>(in.extent(0));
  if (i + lanes > n || (!is_host_space<Space> && !windows)) {
    for (std::int64_t j = i; j < i + lanes && j < n; ++j) convolve(in, weights, taps, out, j);
    return;
  }
  if constexpr (is_host_space<Space>) {
    for (int k = 0; k < taps; ++k) {
      const T w = weights(k);
      for (int l = 0; l < lanes; ++l) sum[l] += w * x[l + k];
    }
    for (int l = 0; l < lanes; ++l) out(i + l) = sum[l];
  } else {
    sums_by_window<lanes>(x, weights, taps, sum);
    using Results = Pack<T, lanes>;
    Results results;
    for (int l = 0; l < lanes; ++l) results.value[l] = sum[l];
    *reinterpret_cast<Results*>(out.data() + i) = results;
  }
}

/// One index for each block, weights from `weights(k)`: a View or a Filter.
template <class Space, class Array, class Weights>
void convolve_blocks(const char* label, const Space& space, const Array& in, const Weights& weights,
                     int taps, const Array& out) {
  using T = typename Array::value_type;
  constexpr int lanes = block_lanes<Space, T>;
  const auto n = static_cast<std::int64_t>(out.extent(0));
  const auto fits = [](const Array& x) {
    return reinterpret_cast<std::uintptr_t>(x.data()) % (lanes * sizeof(T)) == 0;
  };
  const bool packs = fits(in) && fits(out);
  Kokkos::parallel_for(
      label, Range<Space>(space, 0, (n + lanes - 1) / lanes), KOKKOS_LAMBDA(std::int64_t b) {
        convolve_block<Space, lanes>(in, weights, taps, out, b * lanes, packs);
      });
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
