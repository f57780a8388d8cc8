// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// add_one: a[i] = a[i] + 1 for every i of a large array of reals.
//
// The course's first look at what a GPU is good for: 60.9 ms on its CPU and 2.15 ms on its GPU for
// 1e8 doubles, and then 134 ms to bring them there and 145 ms to bring them back. One addition for
// 2 sizeof(T) bytes moved: those bytes over the bandwidth of a copy are the least time.
//
// Each element is one addition, rounded once: results are equal everywhere, bit by bit.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "device/elementwise.hpp"
#include "device/transform.hpp"

namespace parallax::kernels {

/// One index for every element of `a`, a rank-1 view. The element is read, changed and written back
/// by the same thread, so working in place is safe: no other index looks at it.
template <class Space, class A>
void add_one_range(const Space& space, const A& a) {
  static_assert(A::rank() == 1, "add_one takes a rank-1 view");
  Kokkos::parallel_for(
      "parallax::add_one::range",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
          space, 0, static_cast<std::int64_t>(a.extent(0))),
      KOKKOS_LAMBDA(std::int64_t i) { a(i) += 1; });
}

/// The same body on packs (transform.hpp): 16 bytes a GPU thread, plain runs on a CPU.
/// For doubles a GPU has half as many threads with twice as much to do; for floats it is a quarter,
/// and there it shows.
template <class Space, class A>
void add_one_wide(const Space& space, const A& a) {
  transform("parallax::add_one::wide", space, a, elementwise::Plus<1>{}, a);
}

}  // namespace parallax::kernels
