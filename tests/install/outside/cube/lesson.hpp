// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace outside {

template <class In, class Out>
struct CubeElement {
  In in;
  Out out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { out(i) = in(i)*in(i)*in(i); }
};

template <class Space, class In, class Out>
void cube_range(const Space& space, const In& in, const Out& out) {
  const auto n = static_cast<std::int64_t>(in.extent(0));
  Kokkos::parallel_for("outside::cube::range",
                       Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, n),
                       CubeElement<In, Out>{in, out});
}

}  // namespace outside
