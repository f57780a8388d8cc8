// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// transfer's fast forms: ordinary memory staged by all of the host's cores (device/staging.hpp),
// and `overlap`, which uses both directions of the bus and the processors at once.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "device/staging.hpp"
#include "transfer/lesson.hpp"

namespace parallax::kernels::transfer {

/// `sequence` in pieces, dealt out to several execution space instances (CUDA's and HIP's streams).
/// Each instance does its pieces in order; different instances do not wait for each other, so while
/// one copies in, another computes and a third copies out. The bus carries both directions at once.
///
/// `in` and `out` are pinned, or the copies would not be asynchronous. Pieces are large
/// enough that asking for them (some microseconds) is lost in their time. All instances are done on
/// return, as later work on another instance would not wait for them.
template <class Space, class Host, class Device>
void overlap(const std::vector<Space>& instances, const Host& in, const Device& device,
             const Host& out) {
  constexpr std::size_t piece_bytes = std::size_t{8} << 20;
  const std::size_t n = device.extent(0);
  const std::size_t piece = piece_bytes / sizeof(typename Device::value_type);
  for (std::size_t begin = 0, k = 0; begin < n; begin += piece, ++k) {
    const std::pair part(begin, std::min(begin + piece, n));
    sequence(instances[k % instances.size()], Kokkos::subview(in, part),
             Kokkos::subview(device, part), Kokkos::subview(out, part));
  }
  for (const Space& instance : instances) instance.fence("parallax::transfer::overlap");
}

}  // namespace parallax::kernels::transfer
