// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// A binding to the radix sort of the device's vendor, as Kokkos Kernels binds its BLAS: one class
// template, specialised where there is a library. Not a kernel: the macros here say what is
// installed, which is why it is not in src/device; the lesson is what to measure against.
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
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "device/radix_key.hpp"

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#include <cub/device/device_radix_sort.cuh>
#define PARALLAX_VENDOR_SORT_SPACE Kokkos::Cuda
#elif defined(KOKKOS_ENABLE_HIP) && defined(__HIPCC__) && __has_include(<hipcub/hipcub.hpp>)
#include <hipcub/hipcub.hpp>
#define PARALLAX_VENDOR_SORT_SPACE Kokkos::HIP
#endif

namespace parallax::bindings {

template <class Space, class T>
using In = kernels::In<Space, T>;

/// No vendor's sort for this space.
template <class Space, class Key>
struct LibrarySort {
  using Keys = In<Space, Key*>;
  /// Why this number of keys cannot be sorted; empty where they can.
  static std::string refusal(std::int64_t) { return "no vendor's sort for this space"; }
  LibrarySort(const Space&, std::int64_t) {}
  Keys operator()(const Space&, const Keys& keys, const Keys&, const Keys& = {},
                  const std::optional<kernels::RadixRange<Key>>& = {}) const {
    return keys;
  }
};

#if defined(PARALLAX_VENDOR_SORT_SPACE)
namespace detail {
#if defined(KOKKOS_ENABLE_CUDA)
inline constexpr std::int64_t most_keys = std::numeric_limits<std::int64_t>::max();
template <class Key>
using DoubleBuffer = cub::DoubleBuffer<Key>;
template <class Key>
bool vendor_sort(const Kokkos::Cuda& space, void* scratch, std::size_t& bytes,
                 DoubleBuffer<Key>& keys, std::int64_t n, int bits) {
  return cub::DeviceRadixSort::SortKeys(scratch, bytes, keys, n, 0, bits, space.cuda_stream()) ==
         cudaSuccess;
}
template <class Key>
bool vendor_sort(const Kokkos::Cuda& space, void* scratch, std::size_t& bytes, const Key* keys,
                 Key* sorted, std::int64_t n, int bits) {
  return cub::DeviceRadixSort::SortKeys(scratch, bytes, keys, sorted, n, 0, bits,
                                        space.cuda_stream()) == cudaSuccess;
}
#else
// hipCUB takes their number as an int.
inline constexpr std::int64_t most_keys = std::numeric_limits<int>::max();
template <class Key>
using DoubleBuffer = hipcub::DoubleBuffer<Key>;
template <class Key>
bool vendor_sort(const Kokkos::HIP& space, void* scratch, std::size_t& bytes,
                 DoubleBuffer<Key>& keys, std::int64_t n, int bits) {
  return hipcub::DeviceRadixSort::SortKeys(scratch, bytes, keys, static_cast<int>(n), 0, bits,
                                           space.hip_stream()) == hipSuccess;
}
template <class Key>
bool vendor_sort(const Kokkos::HIP& space, void* scratch, std::size_t& bytes, const Key* keys,
                 Key* sorted, std::int64_t n, int bits) {
  return hipcub::DeviceRadixSort::SortKeys(scratch, bytes, keys, sorted, static_cast<int>(n), 0,
                                           bits, space.hip_stream()) == hipSuccess;
}
#endif
}  // namespace detail

/// CUB or hipCUB, with its memory made once. Order: as numbers, with -0.0 and +0.0 equal, and NaN
/// by its sign at the ends.
template <class Key>
struct LibrarySort<PARALLAX_VENDOR_SORT_SPACE, Key> {
  using Space = PARALLAX_VENDOR_SORT_SPACE;
  using Keys = In<Space, Key*>;
  static std::string refusal(std::int64_t n) {
    return n <= detail::most_keys
               ? ""
               : "the vendor's sort takes " + std::to_string(detail::most_keys) + " keys at most";
  }

  In<Space, char*> scratch;

  LibrarySort(const Space& space, std::int64_t n) {
    std::size_t bytes = 0;
    detail::DoubleBuffer<Key> buffers(nullptr, nullptr);
    if (!detail::vendor_sort(space, nullptr, bytes, buffers, n, all_bits)) fail();
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
    const auto sort = [&](void* memory, std::size_t& bytes) {
      if (!detail::vendor_sort(space, memory, bytes, keys.data(), second.data(), n, bits)) fail();
    };
    std::size_t bytes = 0;
    sort(nullptr, bytes);
    if (bytes <= third.size() * sizeof(Key)) {
      sort(third.data(), bytes);
      return second;
    }
    bytes = scratch.size();
    detail::DoubleBuffer<Key> buffers(keys.data(), second.data());
    if (!detail::vendor_sort(space, scratch.data(), bytes, buffers, n, bits)) fail();
    return buffers.Current() == keys.data() ? keys : second;
  }

 private:
  static constexpr int all_bits = 8 * sizeof(Key);

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
  [[noreturn]] static void fail() { throw std::runtime_error("the vendor's radix sort failed"); }
};
#undef PARALLAX_VENDOR_SORT_SPACE
#endif

}  // namespace parallax::bindings
