// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// tree_sum by the library of the device's vendor.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <functional>

#include "platform/device/vendor.hpp"
#if defined(PARALLAX_VENDOR_IS_CUB)
#include <cub/device/device_reduce.cuh>
#endif

namespace parallax::bindings {

/// sum() = the sum of a, as a function to call; empty where the vendor refuses (vendor::refusal).
template <class Space, class Array, class Sum>
std::function<void()> library_sum([[maybe_unused]] const Space& space,
                                  [[maybe_unused]] const Array& a,
                                  [[maybe_unused]] const Sum& sum) {
#if defined(PARALLAX_VENDOR)
  if constexpr (vendor::available<Space>)
    if (vendor::refusal<Space>(a.extent(0)).empty())
      return vendor::with_scratch(space, [=](void* scratch, std::size_t& bytes) {
        return vendor::algorithms::DeviceReduce::Sum(scratch, bytes, a.data(), sum.data(),
                                                     static_cast<int>(a.extent(0)),
                                                     vendor::stream(space));
      });
#endif
  return {};
}

}  // namespace parallax::bindings
