// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Sorts of libraries, to measure against: of the device's vendor, and of the C++ library.
//
// Kokkos::sort reaches the same code on CUDA, but hands it an iterator that it does not know to be
// contiguous, and memory that it has to allocate: two copies and an allocation more. And the
// library sorts by the number of bits that it is told: doubles that share their sign and most of
// their exponent, as random numbers do, need fewer passes than 8.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#if defined(KOKKOS_ENABLE_OPENMP) && defined(_OPENMP) && __has_include(<parallel/algorithm>)
#define PARALLAX_PARALLEL_SORT
#include <parallel/algorithm>
#endif
#include "device/radix_key.hpp"
#include "platform/device/vendor.hpp"
#if defined(PARALLAX_VENDOR_IS_CUB)
#include <cub/device/device_radix_sort.cuh>
#endif

namespace parallax::bindings {

template <class Space, class T>
using In = kernels::In<Space, T>;

/// No vendor's sort for this space.
template <class Space, class Key>
struct LibrarySort {
  using Keys = In<Space, Key*>;
  /// Why this number of keys cannot be sorted; empty where they can.
  static std::string refusal(std::int64_t n) { return vendor::refusal<Space>(n); }
  LibrarySort(const Space&, std::int64_t) {}
  Keys operator()(const Space&, const Keys& keys, const Keys&, const Keys& = {},
                  const std::optional<kernels::RadixRange<Key>>& = {}) const {
    return keys;
  }
};

#if defined(PARALLAX_PARALLEL_SORT)
/// The sort of the GNU C++ library's parallel mode, in the space's OpenMP threads: where these are
/// bound to cores, those that std::execution::par makes would share the first one's.
template <class Key>
struct LibrarySort<Kokkos::OpenMP, Key> {
  using Keys = In<Kokkos::OpenMP, Key*>;
  static std::string refusal(std::int64_t) { return ""; }
  LibrarySort(const Kokkos::OpenMP&, std::int64_t) {}
  Keys operator()(const Kokkos::OpenMP& space, const Keys& keys, const Keys&, const Keys& = {},
                  const std::optional<kernels::RadixRange<Key>>& = {}) const {
    const auto threads = static_cast<unsigned>(space.concurrency());
    __gnu_parallel::sort(keys.data(), keys.data() + keys.extent(0),
                         __gnu_parallel::multiway_mergesort_tag(threads));
    return keys;
  }
};
#endif

#if defined(PARALLAX_VENDOR)
/// CUB or hipCUB, with its memory made once. Order: as numbers, with -0.0 and +0.0 equal, and NaN
/// by its sign at the ends.
template <class Key>
struct LibrarySort<vendor::Space, Key> {
  using Space = vendor::Space;
  using Keys = In<Space, Key*>;
  static std::string refusal(std::int64_t n) {
    return vendor::refusal<Space, vendor::SortCount>(n);
  }

  In<Space, char*> scratch;

  LibrarySort(const Space& space, std::int64_t n) {
    std::size_t bytes = 0;
    DoubleBuffer buffers(nullptr, nullptr);
    sort(space, nullptr, bytes, n, all_bits, buffers);
    scratch = In<Space, char*>(
        Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::library_sort::scratch"),
        bytes + 1);
  }

  /// Returns the view that holds the sorted keys: the first or the second, which is as long; where
  /// the third is long enough for what the library needs beside them, the second. `range`: codes
  /// that no key is outside of.
  Keys operator()(const Space& space, const Keys& keys, const Keys& second, const Keys& third = {},
                  const std::optional<kernels::RadixRange<Key>>& range = {}) const {
    const auto n = static_cast<std::int64_t>(keys.extent(0));
    if (n < 2) return keys;
    const int bits = range ? bits_that_differ(*range) : bits_that_differ(space, keys);
    const Key* const from = keys.data();
    std::size_t bytes = 0;
    sort(space, nullptr, bytes, n, bits, from, second.data());
    if (bytes <= third.size() * sizeof(Key)) {
      sort(space, third.data(), bytes, n, bits, from, second.data());
      return second;
    }
    bytes = scratch.size();
    DoubleBuffer buffers(keys.data(), second.data());
    sort(space, scratch.data(), bytes, n, bits, buffers);
    return buffers.Current() == keys.data() ? keys : second;
  }

 private:
  using DoubleBuffer = vendor::algorithms::DoubleBuffer<Key>;
  static constexpr int all_bits = 8 * sizeof(Key);

  /// By a double buffer, or from one array into another.
  template <class... Arrays>
  static void sort(const Space& space, void* memory, std::size_t& bytes, std::int64_t n, int bits,
                   Arrays&&... arrays) {
    vendor::check(vendor::algorithms::DeviceRadixSort::SortKeys(memory, bytes, arrays...,
                                                                static_cast<vendor::SortCount>(n),
                                                                0, bits, vendor::stream(space)));
  }

  /// The keys share all bits from this one on: those that the least and the largest share, as
  /// integers of the same order. Looked for only in doubles. CUB takes -0.0 for +0.0, and so does
  /// this.
  static int bits_that_differ(const Space& space, const Keys& keys) {
    if constexpr (std::is_same_v<Key, double>)
      return bits_that_differ(kernels::radix_range<Space, Key>(space, keys));
    else
      return all_bits;
  }
  static int bits_that_differ(kernels::RadixRange<Key> range) {
    constexpr auto positive_zero = kernels::RadixKey<Key>::sign;
    if (std::is_floating_point_v<Key> && range.largest == positive_zero - 1)
      range.largest = positive_zero;
    return std::max(kernels::radix_width(range.least ^ range.largest), 1);
  }
};
#endif

}  // namespace parallax::bindings
