// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// scan by libraries: Kokkos's algorithm (Thrust on CUDA, a parallel_scan elsewhere), and the
// device's vendor's, CUB or hipCUB. Both have an inclusive scan, whose element i - 1 is what
// offsets(i) is: it begins one element further on.
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_StdAlgorithms.hpp>
#include <cstddef>
#include <functional>

#include "platform/device/vendor.hpp"
#if defined(PARALLAX_VENDOR_IS_CUB)
#include <cub/device/device_scan.cuh>
#endif

namespace parallax::bindings {

/// Sets offsets(0) to 0; returns the others.
template <class Space, class Array>
Array inclusive_part(const Space& space, const Array& offsets) {
  Kokkos::deep_copy(space, Kokkos::subview(offsets, 0), 0);
  return Kokkos::subview(offsets, Kokkos::pair<std::size_t, std::size_t>(1, offsets.extent(0)));
}

template <class Space, class Array>
void kokkos_inclusive_scan(const Space& space, const Array& a, const Array& offsets) {
  const Array sums = inclusive_part(space, offsets);
  if (a.extent(0) > 0)
    Kokkos::Experimental::inclusive_scan("parallax::scan::kokkos", space, a, sums);
}

/// The vendor's scan, as a function to call; empty where the vendor refuses (vendor::refusal).
template <class Space, class Array>
std::function<void()> library_scan([[maybe_unused]] const Space& space,
                                   [[maybe_unused]] const Array& a,
                                   [[maybe_unused]] const Array& offsets) {
#if defined(PARALLAX_VENDOR)
  if constexpr (vendor::available<Space>)
    if (vendor::refusal<Space>(a.extent(0)).empty()) {
      const auto scan = vendor::with_scratch(space, [=](void* scratch, std::size_t& bytes) {
        return vendor::algorithms::DeviceScan::InclusiveSum(
            scratch, bytes, a.data(), offsets.data() + 1, static_cast<int>(a.extent(0)),
            vendor::stream(space));
      });
      return [=] {
        inclusive_part(space, offsets);
        if (a.extent(0) > 0) scan();
      };
    }
#endif
  return {};
}

}  // namespace parallax::bindings
