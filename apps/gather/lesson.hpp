// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// gather: out[i] = array[index[i]], and what becomes of an index that is out of range.
//
// A GPU has nobody to raise an exception to: a million threads are under way when one of them finds
// an index that does not exist. There are three honest answers, and one that is not:
//
//   checked     look at all indices first, and refuse before anything is launched (NumPy)
//   wrap        give every index a meaning: the remainder (CuPy does this without being asked)
//   unchecked   promise that indices are right; a wrong one reads whatever lies there
//
// The fourth is a Kokkos built with Kokkos_ENABLE_DEBUG_BOUNDS_CHECK: every access of a View is
// checked, and the first that is out of bounds stops the program. `unchecked` is what it catches.
//
// An index is 8 bytes and so is what it fetches, but memory delivers 32 bytes or more at a time: a
// random order wastes most of them. 24 bytes an element is the least, 48 and more what is moved.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace parallax::kernels {

/// out[i] = array[index[i]] for indices of 0..array.extent(0)-1. `array` and `out` are rank-1 views
/// of one type, `index` of 64-bit integers: 32 bits end at 2^31 elements. Nothing is checked.
template <class Space, class Array, class Index, class Out>
void gather_unchecked(const Space& space, const Array& array, const Index& index, const Out& out) {
  static_assert(sizeof(typename Index::value_type) == 8, "gather takes 64-bit indices");
  Kokkos::parallel_for(
      "parallax::gather::unchecked",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
          space, 0, static_cast<std::int64_t>(out.extent(0))),
      KOKKOS_LAMBDA(std::int64_t i) { out(i) = array(index(i)); });
}

/// Every index is taken modulo the extent, so that the result lies in 0..extent-1: -1 is the last
/// element, extent the first. (The % of C++ keeps the sign of its left side, hence the addition.)
/// A 64-bit division is some forty instructions; an index that is in range needs none.
template <class Space, class Array, class Index, class Out>
void gather_wrap(const Space& space, const Array& array, const Index& index, const Out& out) {
  const auto extent = static_cast<std::int64_t>(array.extent(0));
  Kokkos::parallel_for(
      "parallax::gather::wrap",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
          space, 0, static_cast<std::int64_t>(out.extent(0))),
      KOKKOS_LAMBDA(std::int64_t i) {
        std::int64_t at = index(i);
        if (at < 0 || at >= extent) {
          at %= extent;
          if (at < 0) at += extent;
        }
        out(i) = array(at);
      });
}

/// Throws std::out_of_range for the first index that is not in -extent..extent-1. The words are
/// NumPy's. It waits for the answer: that is the price of refusing before the launch.
template <class Space, class Index>
void require_in_bounds(const Space& space, const Index& index, std::int64_t extent) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t first = none;
  Kokkos::parallel_reduce(
      "parallax::gather::checked::look",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
          space, 0, static_cast<std::int64_t>(index.extent(0))),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & least) {
        const std::int64_t at = index(i);
        if ((at < -extent || at >= extent) && i < least) least = i;
      },
      Kokkos::Min<std::int64_t>(first));
  if (first == none) return;
  std::int64_t wrong = 0;
  Kokkos::deep_copy(wrong, Kokkos::subview(index, first));
  throw std::out_of_range("index " + std::to_string(wrong) +
                          " is out of bounds for axis 0 with size " + std::to_string(extent));
}

/// Refuses before the launch, or gathers. Negative indices count from the end, as in Python.
template <class Space, class Array, class Index, class Out>
void gather_checked(const Space& space, const Array& array, const Index& index, const Out& out) {
  const auto extent = static_cast<std::int64_t>(array.extent(0));
  require_in_bounds(space, index, extent);
  Kokkos::parallel_for(
      "parallax::gather::checked",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
          space, 0, static_cast<std::int64_t>(out.extent(0))),
      KOKKOS_LAMBDA(std::int64_t i) {
        const std::int64_t at = index(i);
        out(i) = array(at < 0 ? at + extent : at);
      });
}

}  // namespace parallax::kernels
