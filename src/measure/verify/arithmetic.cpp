// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/verify/arithmetic.hpp"

#include <Kokkos_Core.hpp>
#include <atomic>
#include <limits>

namespace parallax {

Rounding Rounding::now() {
  // Computed when the program runs, not by the compiler.
  const volatile double one = 1, quarter = std::numeric_limits<double>::epsilon() / 4,
                        least = std::numeric_limits<double>::min();
  return {std::fegetround(), one + quarter != 1, one - quarter / 2 != 1, least / 2 == 0};
}

Arithmetic::Arithmetic() : rounding_(Rounding::now()) { std::fegetenv(&environment_); }

std::string Arithmetic::restored() const {
  using Host = Kokkos::DefaultHostExecutionSpace;
  using Once = Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Static>>;
  const Host host;
  std::atomic<bool> changed{false};
  const auto restore = [&](int) {
    if (Rounding::now() == rounding_) return;
    changed = true;
    std::fesetenv(&environment_);
  };
  restore(0);  // this thread's, where the host's have it not among them
  Kokkos::parallel_for("parallax::verify::arithmetic",
                       Once(host, 0, host.concurrency(), Kokkos::ChunkSize(1)), restore);
  host.fence("parallax::verify::arithmetic");
  return changed ? "it changed the processor's rounding, or its subnormal numbers" : "";
}

}  // namespace parallax
