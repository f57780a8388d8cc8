// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The algorithms of the device's vendor, CUB or hipCUB, which have the same names and arguments.
// Where PARALLAX_VENDOR is defined, an exercise's library.hpp calls them. hipCUB comes from here;
// of CUB, where PARALLAX_VENDOR_IS_CUB is defined, it includes what it calls: all of it takes long.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#define PARALLAX_VENDOR Kokkos::Cuda
#define PARALLAX_VENDOR_IS_CUB
namespace cub {}
#elif defined(KOKKOS_ENABLE_HIP) && defined(__HIPCC__) && __has_include(<hipcub/hipcub.hpp>)
#define PARALLAX_VENDOR Kokkos::HIP
#include <hipcub/hipcub.hpp>
#endif

namespace parallax::vendor {

#if defined(PARALLAX_VENDOR)
using Space = PARALLAX_VENDOR;
#if defined(PARALLAX_VENDOR_IS_CUB)
namespace algorithms = ::cub;
using SortCount = std::int64_t;  ///< the number of keys of a sort
inline auto stream(const Space& space) { return space.cuda_stream(); }
#else
namespace algorithms = ::hipcub;
using SortCount = int;
inline auto stream(const Space& space) { return space.hip_stream(); }
#endif
template <class S>
inline constexpr bool available = std::is_same_v<S, Space>;
#else
template <class S>
inline constexpr bool available = false;
#endif

/// Why the space's vendor has no algorithm for n elements; empty where it has. Many versions of
/// most algorithms take the number as an int.
template <class S, class Count = int>
std::string refusal(std::int64_t n) {
  if (!available<S>) return "no vendor's algorithms for this space";
  constexpr auto most = std::numeric_limits<Count>::max();
  return n <= most ? "" : "the vendor's algorithm takes " + std::to_string(most) + " at most";
}

/// Throws where a call did not succeed.
template <class Status>
void check(Status status) {
  if (status != Status{}) throw std::runtime_error("an algorithm of the device's vendor failed");
}

/// Calls an algorithm with scratch memory that is made here, once. `call(memory, bytes)` returns
/// the vendor's status, and without memory sets `bytes`.
template <class S, class Call>
std::function<void()> with_scratch(const S& space, const Call& call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes));
  const Kokkos::View<char*, typename S::memory_space> scratch(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::vendor::scratch"),
      bytes + 1);
  return [=] {
    std::size_t size = scratch.size();
    check(call(scratch.data(), size));
  };
}

}  // namespace parallax::vendor
