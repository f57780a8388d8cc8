// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// uniform_sort: what a library call costs, and what it takes to do without.
//   kokkos   Kokkos::sort: one line. On a CUDA device Thrust's radix sort; on a host std::sort on
//            one core
//   library  the vendor's radix sort with buffers made once; with OpenMP the C++ library's
//            parallel sort (library.hpp)
//   radix    ours, one source for every backend (radix_sort.hpp): team scratch, look-back, passes
//            counted ahead
//   sample   ours for hosts (tuned_sample_sort.hpp): a sample cuts the keys into buckets
//            that fit the cache
// Order: `radix` and `sample` sort floats in IEEE 754's total order, -NaN < -inf ... -0.0 < +0.0
// ... inf < NaN. The others sort numbers: -0.0 and +0.0 are equal and stay in any order, and
// std::sort must not meet a NaN at all. Traffic: generation writes the array once; a radix sort of
// 8 bits a pass reads and writes it 3 to 8 times.
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Sort.hpp>
#include <cstdint>
#include <type_traits>

#include "device/radix_sort.hpp"
#include "random/fill.hpp"
#include "uniform_sort/tuned_sample_sort.hpp"

namespace parallax::kernels::uniform_sort {

/// Fills `keys`: floats uniform on [low, high), low possible and high not; integers with all bits
/// random, whatever the limits. Element i depends only on (seed, first + i).
template <class Space, class Keys>
void philox(const Space& space, const Keys& keys, double low, double high, std::uint64_t seed,
            std::int64_t first = 0) {
  using Key = typename Keys::non_const_value_type;
  if constexpr (std::is_floating_point_v<Key>) {
    random::fill_uniform(space, keys, static_cast<Key>(low), static_cast<Key>(high), seed, first);
  } else {
    random::fill_bits(space, keys, seed, first);
  }
}

template <class Space, class Keys>
void kokkos(const Space& space, const Keys& keys) {
  Kokkos::sort(space, keys);
}

}  // namespace parallax::kernels::uniform_sort
