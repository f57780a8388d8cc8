// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// tree_sum by the library of the device's vendor, CUB or hipCUB.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#include <cub/device/device_reduce.cuh>
#define PARALLAX_VENDOR_SUM_SPACE Kokkos::Cuda
#elif defined(KOKKOS_ENABLE_HIP) && defined(__HIPCC__) && __has_include(<hipcub/hipcub.hpp>)
#include <hipcub/hipcub.hpp>
#define PARALLAX_VENDOR_SUM_SPACE Kokkos::HIP
#endif

namespace parallax::bindings {

/// No vendor's sum for this space.
template <class Space, class Array, class Sum>
struct LibrarySum {
  /// Why this number of elements cannot be added up; empty where they can.
  static std::string refusal(std::int64_t) { return "no vendor's sum for this space"; }
  LibrarySum(const Space&, const Array&, const Sum&) {}
  void operator()(const Space&, const Array&, const Sum&) const {}
};

#if defined(PARALLAX_VENDOR_SUM_SPACE)
/// CUB or hipCUB, with its scratch memory made once.
template <class Array, class Sum>
struct LibrarySum<PARALLAX_VENDOR_SUM_SPACE, Array, Sum> {
  using Space = PARALLAX_VENDOR_SUM_SPACE;
  static std::string refusal(std::int64_t n) {  // many versions take their number as an int
    return n <= std::numeric_limits<int>::max() ? "" : "the vendor's sum counts by an int";
  }

  Kokkos::View<char*, typename Space::memory_space> scratch;

  LibrarySum(const Space& space, const Array& a, const Sum& sum) {
    std::size_t bytes = 0;
    call(space, nullptr, bytes, a, sum);
    scratch = decltype(scratch)(
        Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::library_sum::scratch"),
        bytes + 1);
  }
  void operator()(const Space& space, const Array& a, const Sum& sum) const {
    std::size_t bytes = scratch.size();
    call(space, scratch.data(), bytes, a, sum);
  }

 private:
  static void call(const Space& space, void* scratch, std::size_t& bytes, const Array& a,
                   const Sum& sum) {
    const typename Array::value_type* const in = a.data();
    const int n = static_cast<int>(a.extent(0));
#if defined(KOKKOS_ENABLE_CUDA)
    const bool done = cub::DeviceReduce::Sum(scratch, bytes, in, sum.data(), n,
                                             space.cuda_stream()) == cudaSuccess;
#else
    const bool done = hipcub::DeviceReduce::Sum(scratch, bytes, in, sum.data(), n,
                                                space.hip_stream()) == hipSuccess;
#endif
    if (!done) throw std::runtime_error("the vendor's sum failed");
  }
};
#undef PARALLAX_VENDOR_SUM_SPACE
#endif

}  // namespace parallax::bindings
