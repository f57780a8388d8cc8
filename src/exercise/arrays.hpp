// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "exercise/guard_zones.hpp"

/// Arrays, matrices and scalars for plans, uninitialised but for scalars. Each begins at a multiple
/// of 256 bytes, and has a zone on each side that a verified run must leave alone
/// (guard_zones.hpp).
///
/// Kokkos puts a header of 128 bytes ahead of the elements, so that they would begin at an odd
/// multiple of 128. From there a stream on an H100 is up to 1 % slower than from a multiple of 256
/// (docs/performance/tuning_notes.md).
namespace parallax::data {

template <class Space, class T>
using Array = Kokkos::View<T*, typename Space::memory_space>;
template <class Space, class T>
using Matrix = Kokkos::View<T**, typename Space::memory_space>;
template <class Space, class T>
using Scalar = Kokkos::View<T, typename Space::memory_space>;

namespace detail {

/// n elements between two zones. `counted`: the memory lives as long as a View of it; otherwise as
/// long as the plan.
template <class T, class Space>
Array<Space, T> amid_zones(const Space& space, const std::string& label, std::size_t n,
                           bool counted) {
  constexpr std::size_t boundary = 256, zone = (guard_zones::zone + sizeof(T) - 1) / sizeof(T);
  // Arrays of a multiple of 4 KiB that follow each other in a host's heap are to begin in other
  // sets of its first cache.
  constexpr std::size_t apart = 512;
  const auto all = std::make_shared<const Array<Space, T>>(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, label),
      n + 2 * zone + (boundary + apart) / sizeof(T));
  std::size_t skip = zone;
  if constexpr (boundary % sizeof(T) == 0) {
    const auto address = reinterpret_cast<std::uintptr_t>(all->data() + zone);
    skip += (boundary - address % boundary) % boundary / sizeof(T);
  }
  guard_zones::add({.label = label,
                    .memory = Space::memory_space::name(),
                    .owner = all,
                    .in_use = [=, view = all.get()] { return !counted || view->use_count() > 1; },
                    .begin = reinterpret_cast<unsigned char*>(all->data() + skip),
                    .bytes = n * sizeof(T)});
  return Kokkos::subview(*all, std::pair(skip, skip + n));
}

}  // namespace detail

template <class T, class Space>
Array<Space, T> allocate(const Space& space, const std::string& label, std::int64_t n) {
  return detail::amid_zones<T>(space, label, static_cast<std::size_t>(n), true);
}

/// A View of rank 2, of any layout. Where a plan is made, the plan's rows own its memory.
template <class M, class Space>
M allocate_matrix(const Space& space, const std::string& label, std::int64_t rows,
                  std::int64_t columns) {
  const auto r = static_cast<std::size_t>(rows), c = static_cast<std::size_t>(columns);
  if (!guard_zones::recording())
    return M(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, label), r, c);
  return M(detail::amid_zones<typename M::non_const_value_type>(space, label, r * c, false).data(),
           r, c);
}

template <class T, class Space>
Scalar<Space, T> allocate_scalar(const Space& space, const std::string& label) {
  const Scalar<Space, T> scalar = Kokkos::subview(allocate<T>(space, label, 1), 0);
  Kokkos::deep_copy(space, scalar, T{});
  return scalar;
}

/// Says that rows only read this array or matrix, but for those whose output it is.
template <class X>
void input(const X& x) {
  guard_zones::mark_input(x.data());
}

}  // namespace parallax::data
