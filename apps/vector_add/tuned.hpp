// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// vector_add at the memory's full rate: what is left to gain over lesson.hpp is keeping the memory
// busy. On a GPU a thread for each element means many blocks: starting them takes
// longer than the bytes of a float, and 4 bytes for each thread are few in flight.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "device/elementwise.hpp"
#include "device/pack.hpp"
#include "device/transform.hpp"
#include "vector_add/lesson.hpp"

namespace parallax::kernels::vector_add {

/// A GPU thread adds one pack of 16 bytes, the widest that it loads at once: four times the bytes
/// in flight of `range` in float, from the same number of threads. (Two packs and more for each
/// thread were slower: a full multiprocessor has loads enough.) Views that do not begin at a
/// multiple of 16 bytes (a subview from an odd element) take the `range` form.
template <class Space, class Array>
void packs(const Space& space, const Array& a, const Array& b, const Array& c) {
  using T = typename Array::value_type;
  constexpr int lanes = 16 / static_cast<int>(sizeof(T));
  using P = Pack<T, lanes>;
  const T *a_data = a.data(), *b_data = b.data();
  T* c_data = c.data();
  for (const T* data : {a_data, b_data, static_cast<const T*>(c_data)})
    if (reinterpret_cast<std::uintptr_t>(data) % sizeof(P) != 0) return range(space, a, b, c);
  const auto n = static_cast<std::int64_t>(c.extent(0));
  // Whole packs first; then one index for each element of the tail, so that one launch does it all.
  const std::int64_t whole = n / lanes;
  Kokkos::parallel_for(
      "parallax::vector_add::wide", Range<Space>(space, 0, whole + n % lanes),
      KOKKOS_LAMBDA(std::int64_t i) {
        if (i < whole) {
          P sum = reinterpret_cast<const P*>(a_data)[i];
          const P other = reinterpret_cast<const P*>(b_data)[i];
          for (int e = 0; e < lanes; ++e) sum.value[e] += other.value[e];
          reinterpret_cast<P*>(c_data)[i] = sum;
        } else {
          const std::int64_t e = whole * lanes + (i - whole);
          c_data[e] = a_data[e] + b_data[e];
        }
      });
}

/// Wide accesses: packs on a GPU. A host thread adds runs of single elements, a loop that the
/// compiler vectorises. The views are contiguous.
template <class Space, class Array>
void wide(const Space& space, const Array& a, const Array& b, const Array& c) {
  if constexpr (is_host_space<Space>)
    transform("parallax::vector_add::wide", space, c, elementwise::Add{}, a, b);
  else
    packs(space, a, b, c);
}

}  // namespace parallax::kernels::vector_add
