// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <vector>

#include "platform/host/processors.hpp"

namespace parallax {

/// The processors that each thread of a host space may run on. Each thread is asked: the first one
/// may be bound to its own core.
template <class Space>
std::vector<ProcessorSet> processors_of_threads(int threads) {
  std::vector<ProcessorSet> processors(static_cast<std::size_t>(threads));
  ProcessorSet* const of_thread = processors.data();
  Kokkos::parallel_for("parallax::affinity",
                       Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>>(0, threads),
                       [=](int i) { of_thread[i] = allowed_processors(); });
  Space{}.fence("parallax::affinity");
  return processors;
}

}  // namespace parallax
