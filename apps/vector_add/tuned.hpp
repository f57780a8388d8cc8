// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// vector_add at the memory's full rate: what is left to gain over lesson.hpp is keeping the memory
// busy. On a GPU a thread for each element means many blocks: starting them takes
// longer than the bytes of a float, and 4 bytes for each thread are few in flight.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include "device/pack.hpp"
#include "device/tuning.hpp"
#include "vector_add/lesson.hpp"

namespace parallax::kernels::vector_add {

/// The body of `wide` with its two numbers free, for tuning: index i adds `Run` packs of
/// `Bytes` bytes.
template <int Bytes, int Run, class Space, class Array>
void packs(const Space& space, const Array& a, const Array& b, const Array& c) {
  using T = typename Array::value_type;
  constexpr int lanes = Bytes / static_cast<int>(sizeof(T));
  using P = Pack<T, lanes>;
  constexpr std::int64_t tile = std::int64_t{lanes} * Run;  // elements of one index
  const auto n = static_cast<std::int64_t>(c.extent(0));
  // Whole tiles first; then one index for each element of the tail, so that one launch does it all.
  const std::int64_t tiles = n / tile, tail = n % tile;
  const T *a_data = a.data(), *b_data = b.data();
  T* c_data = c.data();
  Kokkos::parallel_for(
      "parallax::vector_add::wide", Range<Space>(space, 0, tiles + tail),
      KOKKOS_LAMBDA(std::int64_t i) {
        if (i < tiles) {
          const P* x = reinterpret_cast<const P*>(a_data) + i * Run;
          const P* y = reinterpret_cast<const P*>(b_data) + i * Run;
          P* z = reinterpret_cast<P*>(c_data) + i * Run;
          for (int k = 0; k < Run; ++k) {
            P sum = x[k];
            const P other = y[k];
            for (int e = 0; e < lanes; ++e) sum.value[e] += other.value[e];
            z[k] = sum;
          }
        } else {
          const std::int64_t e = tiles * tile + (i - tiles);
          c_data[e] = a_data[e] + b_data[e];
        }
      });
}

/// Wide accesses. A GPU thread adds one pack of 16 bytes, the widest that it loads at once: four
/// times the bytes in flight of `range` in float, from the same number of threads. (Two packs and
/// more for each thread were no faster: a full multiprocessor has loads enough.) A host thread adds
/// a long run of single elements, a loop that the compiler vectorises. Views that are strided, or
/// not aligned to a pack (a subview from an odd element), take the `range` form.
template <class Space, class Array>
void wide(const Space& space, const Array& a, const Array& b, const Array& c) {
  using T = typename Array::value_type;
  constexpr int bytes = is_host_space<Space> ? static_cast<int>(sizeof(T)) : 16;
  constexpr int run = is_host_space<Space> ? 4096 : 1;
  const auto fits = [](const auto& view) {
    return view.span_is_contiguous() && reinterpret_cast<std::uintptr_t>(view.data()) % bytes == 0;
  };
  if (fits(a) && fits(b) && fits(c)) {
    packs<bytes, run>(space, a, b, c);
  } else {
    range(space, a, b, c);
  }
}

}  // namespace parallax::kernels::vector_add
