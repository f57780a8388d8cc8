// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// group_sum by the library of the device's vendor: a reduction by key for each column.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "platform/device/vendor.hpp"
#if defined(PARALLAX_VENDOR_IS_CUB)
#include <cub/device/device_reduce.cuh>
#endif

namespace parallax::bindings {

#if defined(PARALLAX_VENDOR)
struct Add {
  template <class T>
  KOKKOS_FUNCTION T operator()(T a, T b) const {
    return a + b;
  }
};

template <class T>
using OnDevice = Kokkos::View<T, vendor::Space::memory_space>;

/// Brings the sums of the runs of equal keys, in the keys' order, to their groups.
template <class T, class Sums>
void put_runs(const vendor::Space& space, const OnDevice<std::int64_t*>& keys,
              const OnDevice<T**>& run_sums, const OnDevice<int>& runs, std::int64_t first_key,
              const Sums& sums) {
  Kokkos::deep_copy(space, sums, T(0));  // for keys that have no rows
  Kokkos::parallel_for(
      "parallax::group_sum::library", Kokkos::RangePolicy<vendor::Space>(space, 0, keys.extent(0)),
      KOKKOS_LAMBDA(int i) {
        for (std::size_t c = 0; c < sums.extent(1); ++c)
          if (i < runs()) sums(keys(i) - first_key, c) = run_sums(i, c);
      });
}
#endif

/// sums(g, c) = the sum of column c over the rows whose key is first_key + g, as a function to
/// call, for sorted keys; empty where the vendor refuses (vendor::refusal).
template <class Space, class Table, class Sums>
std::function<void()> library_group_sum([[maybe_unused]] const Space& space,
                                        [[maybe_unused]] const Table& table,
                                        [[maybe_unused]] std::int64_t first_key,
                                        [[maybe_unused]] const Sums& sums) {
#if defined(PARALLAX_VENDOR)
  if constexpr (vendor::available<Space>) {
    using T = typename Sums::value_type;
    const std::int64_t n = table.key.extent(0);
    if (!vendor::refusal<Space>(n).empty()) return {};
    const auto most = std::min<std::int64_t>(n, sums.extent(0));
    const OnDevice<int> runs("parallax::group_sum::runs");
    const OnDevice<std::int64_t*> keys("parallax::group_sum::keys_of_runs", most);
    const OnDevice<T**> run_sums("parallax::group_sum::sums_of_runs", most, sums.extent(1));
    std::vector<std::function<void()>> reduce;  // each column
    for (int c = 0; c < static_cast<int>(sums.extent(1)) && n > 0; ++c)
      reduce.push_back(vendor::with_scratch(space, [=](void* scratch, std::size_t& bytes) {
        return vendor::algorithms::DeviceReduce::ReduceByKey(
            scratch, bytes, table.key.data(), keys.data(), table.value[c].data(),
            Kokkos::subview(run_sums, Kokkos::ALL, c).data(), runs.data(), Add{},
            static_cast<int>(n), vendor::stream(space));
      }));
    return [=] {
      for (const auto& column : reduce) column();
      put_runs<T>(space, keys, run_sums, runs, first_key, sums);
    };
  }
#endif
  return {};
}

}  // namespace parallax::bindings
