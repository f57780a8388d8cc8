// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// ragged_sum by the library of the device's vendor, CUB or hipCUB: a segmented reduction.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <stdexcept>

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#include <cub/device/device_segmented_reduce.cuh>
#define PARALLAX_VENDOR_SEGMENTS_SPACE Kokkos::Cuda
#elif defined(KOKKOS_ENABLE_HIP) && defined(__HIPCC__) && __has_include(<hipcub/hipcub.hpp>)
#include <hipcub/hipcub.hpp>
#define PARALLAX_VENDOR_SEGMENTS_SPACE Kokkos::HIP
#endif

namespace parallax::bindings {

/// No vendor's segmented sum for this space.
template <class Space, class Offsets, class Content>
struct LibrarySegmentedSum {
  static constexpr const char* refusal = "no vendor's segmented sum for this space";
  LibrarySegmentedSum(const Space&, const Offsets&, const Content&, const Content&) {}
  void operator()(const Space&, const Offsets&, const Content&, const Content&) const {}
};

#if defined(PARALLAX_VENDOR_SEGMENTS_SPACE)
/// CUB or hipCUB, with its scratch memory made once.
template <class Offsets, class Content>
struct LibrarySegmentedSum<PARALLAX_VENDOR_SEGMENTS_SPACE, Offsets, Content> {
  using Space = PARALLAX_VENDOR_SEGMENTS_SPACE;
  static constexpr const char* refusal = "";

  Kokkos::View<char*, typename Space::memory_space> scratch;

  LibrarySegmentedSum(const Space& space, const Offsets& offsets, const Content& content,
                      const Content& sums) {
    std::size_t bytes = 0;
    call(space, nullptr, bytes, offsets, content, sums);
    scratch = decltype(scratch)(Kokkos::view_alloc(space, Kokkos::WithoutInitializing,
                                                   "parallax::library_segmented_sum::scratch"),
                                bytes + 1);
  }
  void operator()(const Space& space, const Offsets& offsets, const Content& content,
                  const Content& sums) const {
    std::size_t bytes = scratch.size();
    if (sums.size() > 0) call(space, scratch.data(), bytes, offsets, content, sums);
  }

 private:
  static void call(const Space& space, void* scratch, std::size_t& bytes, const Offsets& offsets,
                   const Content& content, const Content& sums) {
    const typename Content::value_type* const in = content.data();
    const typename Offsets::value_type* const begins = offsets.data();
    const int lists = static_cast<int>(sums.extent(0));  // offsets are of 32 bits, too
#if defined(KOKKOS_ENABLE_CUDA)
    const bool done =
        cub::DeviceSegmentedReduce::Sum(scratch, bytes, in, sums.data(), lists, begins, begins + 1,
                                        space.cuda_stream()) == cudaSuccess;
#else
    const bool done =
        hipcub::DeviceSegmentedReduce::Sum(scratch, bytes, in, sums.data(), lists, begins,
                                           begins + 1, space.hip_stream()) == hipSuccess;
#endif
    if (!done) throw std::runtime_error("the vendor's segmented sum failed");
  }
};
#undef PARALLAX_VENDOR_SEGMENTS_SPACE
#endif

}  // namespace parallax::bindings
