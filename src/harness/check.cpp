// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "harness/check.hpp"

#include <Kokkos_Core.hpp>

namespace parallax::check {

void on_all_cores(std::int64_t n, const std::function<void(std::int64_t)>& f) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  Kokkos::parallel_for(
      "parallax::check",
      Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<std::int64_t>>(
          0, n),
      [&f](std::int64_t i) { f(i); });
  Host().fence("parallax::check");
}

}  // namespace parallax::check
