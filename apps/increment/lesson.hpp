// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// increment: data[i] += 1 for every i.
//
// The smallest kernel there is. A loop's body becomes a function of its index, and Kokkos calls it
// once for every index, in no order: on a CPU each core takes a stretch of indices, on a GPU each
// thread takes one. That is allowed because no index touches what another one touches.
//
// It reads and writes 4 bytes for one addition: 8 n bytes over the bandwidth of a copy is the least
// time. At the course's 1024 elements that is nothing, and what one measures is the cost of
// launching a kernel.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace parallax::kernels {

/// Adds 1 to every element of `data`, a rank-1 view in memory that `space` reaches.
///
/// The range says which indices there are. There is no bounds check to write and none to forget:
/// Kokkos rounds the number of GPU threads up to whole blocks, and keeps those beyond the end from
/// running the body.
template <class Space, class Data>
void increment_range(const Space& space, const Data& data) {
  static_assert(Data::rank() == 1, "increment takes a rank-1 view");
  Kokkos::parallel_for(
      "parallax::increment::range",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
          space, 0, static_cast<std::int64_t>(data.extent(0))),
      KOKKOS_LAMBDA(std::int64_t i) { data(i) += 1; });
}

}  // namespace parallax::kernels
