// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <vector>

namespace parallax {

/// The processors that each thread of a host space may run on. Each thread is asked: the first one
/// may be bound to its own core. Empty on machines with more processors than cpu_set_t holds.
template <class Space>
std::vector<cpu_set_t> affinity_masks(int threads) {
  std::vector<cpu_set_t> masks(static_cast<std::size_t>(threads));
  for (auto& mask : masks) CPU_ZERO(&mask);
  cpu_set_t* const mask = masks.data();
  Kokkos::parallel_for("parallax::affinity",
                       Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>>(0, threads),
                       [=](int i) { sched_getaffinity(0, sizeof(cpu_set_t), mask + i); });
  Space{}.fence("parallax::affinity");
  return masks;
}

}  // namespace parallax
