// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// ragged_sum by the library of the device's vendor: a segmented reduction.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <functional>

#include "platform/device/vendor.hpp"
#if defined(PARALLAX_VENDOR_IS_CUB)
#include <cub/device/device_segmented_reduce.cuh>
#endif

namespace parallax::bindings {

/// sums(i) = the sum of list i, as a function to call; empty where the vendor refuses
/// (vendor::refusal).
template <class Space, class Offsets, class Content>
std::function<void()> library_segmented_sum([[maybe_unused]] const Space& space,
                                            [[maybe_unused]] const Offsets& offsets,
                                            [[maybe_unused]] const Content& content,
                                            [[maybe_unused]] const Content& sums) {
#if defined(PARALLAX_VENDOR)
  if constexpr (vendor::available<Space>)
    if (vendor::refusal<Space>(sums.extent(0)).empty()) {
      if (sums.size() == 0) return [] {};
      return vendor::with_scratch(space, [=](void* scratch, std::size_t& bytes) {
        const auto* const begins = offsets.data();
        return vendor::algorithms::DeviceSegmentedReduce::Sum(
            scratch, bytes, content.data(), sums.data(), static_cast<int>(sums.extent(0)), begins,
            begins + 1, vendor::stream(space));
      });
    }
#endif
  return {};
}

}  // namespace parallax::bindings
