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
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#include <cub/device/device_scan.cuh>
#define PARALLAX_VENDOR_SCAN_SPACE Kokkos::Cuda
#elif defined(KOKKOS_ENABLE_HIP) && defined(__HIPCC__) && __has_include(<hipcub/hipcub.hpp>)
#include <hipcub/hipcub.hpp>
#define PARALLAX_VENDOR_SCAN_SPACE Kokkos::HIP
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

/// No vendor's scan for this space.
template <class Space, class Array>
struct LibraryScan {
  /// Why this number of elements cannot be scanned; empty where they can.
  static std::string refusal(std::int64_t) { return "no vendor's scan for this space"; }
  LibraryScan(const Space&, const Array&, const Array&) {}
  void operator()(const Space&, const Array&, const Array&) const {}
};

#if defined(PARALLAX_VENDOR_SCAN_SPACE)
namespace detail {
#if defined(KOKKOS_ENABLE_CUDA)
template <class T>
bool vendor_scan(const Kokkos::Cuda& space, void* scratch, std::size_t& bytes, const T* in, T* out,
                 int n) {
  return cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, n, space.cuda_stream()) ==
         cudaSuccess;
}
#else
template <class T>
bool vendor_scan(const Kokkos::HIP& space, void* scratch, std::size_t& bytes, const T* in, T* out,
                 int n) {
  return hipcub::DeviceScan::InclusiveSum(scratch, bytes, in, out, n, space.hip_stream()) ==
         hipSuccess;
}
#endif
}  // namespace detail

/// CUB or hipCUB, with its scratch memory made once.
template <class Array>
struct LibraryScan<PARALLAX_VENDOR_SCAN_SPACE, Array> {
  using Space = PARALLAX_VENDOR_SCAN_SPACE;
  static std::string refusal(std::int64_t n) {  // many versions take their number as an int
    return n <= std::numeric_limits<int>::max() ? "" : "the vendor's scan counts by an int";
  }

  Kokkos::View<char*, typename Space::memory_space> scratch;

  LibraryScan(const Space& space, const Array& a, const Array& offsets) {
    std::size_t bytes = 0;
    call(space, nullptr, bytes, a, offsets.data());
    scratch = decltype(scratch)(
        Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::library_scan::scratch"),
        bytes + 1);
  }
  void operator()(const Space& space, const Array& a, const Array& offsets) const {
    const Array sums = inclusive_part(space, offsets);
    std::size_t bytes = scratch.extent(0);
    if (a.extent(0) > 0) call(space, scratch.data(), bytes, a, sums.data());
  }

 private:
  template <class T>
  static void call(const Space& space, void* scratch, std::size_t& bytes, const Array& a, T* out) {
    const T* in = a.data();
    if (!detail::vendor_scan(space, scratch, bytes, in, out, static_cast<int>(a.extent(0))))
      throw std::runtime_error("the vendor's scan failed");
  }
};
#undef PARALLAX_VENDOR_SCAN_SPACE
#endif

}  // namespace parallax::bindings
