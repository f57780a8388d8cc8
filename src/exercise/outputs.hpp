// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "device/split_mix64.hpp"
#include "exercise/arrays.hpp"
#include "exercise/check.hpp"
#include "exercise/exercise.hpp"
#include "exercise/guard_zones.hpp"
#include "platform/base/time_spent.hpp"

/// What apps need of Kokkos besides their kernels: arrays that are filled, their copies on the
/// host, and outputs that can be judged.
namespace parallax::data {

namespace detail {
/// A type and not a lambda, as several files of an exercise may fill the same (random/fill.hpp).
template <class X, class F>
struct Fill {
  X x;
  F f;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    x(i) = static_cast<typename X::non_const_value_type>(f(i));
  }
};
}  // namespace detail

/// Sets x[i] = f(i) for every i of a rank-1 view, in parallel; `f` is a device function of
/// std::int64_t.
template <class Space, class X, class F>
void fill(const Space& space, X const& x, F const& f) {
  Kokkos::parallel_for("parallax::data::fill",
                       Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
                           space, 0, static_cast<std::int64_t>(x.extent(0))),
                       detail::Fill<X, F>{x, f});
  input(x);
}

/// A uniform real in [0, 1) that depends only on seed and index, so that a reference can make any
/// element of an input again, on any processor: SplitMix64's output function (Steele, Lea and
/// Flood, 2014) over a counter. Has 24 random bits for float and 53 for double:
/// T(uniform_at<T>(...)) is exact.
template <class T>
KOKKOS_INLINE_FUNCTION T uniform_at(std::int64_t seed, std::int64_t i) {
  const auto z = split_mix64(static_cast<std::uint64_t>(seed) * 0xd1342543de82ef95u,
                             static_cast<std::uint64_t>(i));
  constexpr int bits = sizeof(T) == 4 ? 24 : 53;
  return static_cast<T>(z >> (64 - bits)) / static_cast<T>(std::uint64_t{1} << bits);
}

/// The view's content where the host can read it; no copy on host spaces. Fences.
template <class X>
auto on_host(X const& x) {
  const time_spent::Timer copying(time_spent::Part::copies);
  auto copy = Kokkos::create_mirror_view(
      Kokkos::view_alloc(Kokkos::HostSpace{}, Kokkos::WithoutInitializing), x);
  if (copy.data() == x.data()) {
    Kokkos::fence("parallax::data::on_host");
    return copy;
  }
  check::touch_pages(copy.data(), copy.span() * sizeof(typename X::value_type));
  Kokkos::deep_copy(copy, x);
  return copy;
}

namespace detail {

template <class T>
constexpr T poison_value() {
  if constexpr (std::is_floating_point_v<T>)
    return std::numeric_limits<T>::quiet_NaN();
  else
    return static_cast<T>(-1);
}

/// Calls f(element, k) for every element of a host view of rank 0, 1 or 2, row by row.
template <class H, class F>
void for_each_element(H const& h, F const& f) {
  if constexpr (H::rank() == 0) {
    f(h(), std::size_t{0});
  } else if constexpr (H::rank() == 1) {
    for (std::size_t i = 0; i < h.extent(0); ++i) f(h(i), i);
  } else {
    static_assert(H::rank() == 2, "outputs have rank 0, 1 or 2");
    for (std::size_t i = 0; i < h.extent(0); ++i)
      for (std::size_t j = 0; j < h.extent(1); ++j) f(h(i, j), i * h.extent(1) + j);
  }
}

}  // namespace detail

/// Describes a view of rank 0, 1 or 2 that a row writes, so that the harness can poison it and
/// tests can damage it.
///
/// `one_update` is the least that one lost update (a forgotten `+=`) changes an element by: 1 for
/// counts, the smallest term for sums. Leave it 0 where elements are written and not updated.
template <class Space, class X>
Output output(const Space& space, const std::string& name, X const& x, double one_update = 0) {
  using T = typename X::non_const_value_type;
  Output out;
  out.name = name;
  out.size = static_cast<std::int64_t>(x.size());
  out.floating = std::is_floating_point_v<T>;
  out.one_update = one_update;
  out.data = x.data();
  out.poison = [space, x] {
    Kokkos::deep_copy(space, x, detail::poison_value<T>());
    space.fence("parallax::data::poison");
  };
  if constexpr (std::is_same_v<typename X::memory_space, typename Space::memory_space>) {
    if (x.span_is_contiguous()) {
      out.shift = [x] {
        guard_zones::shift(Space::memory_space::name(), x.data(), x.size(), sizeof(T),
                           std::is_floating_point_v<T>);
      };
      out.hash = [x] {
        return guard_zones::hash(Space::memory_space::name(), x.data(), x.size() * sizeof(T));
      };
    }
  }
  out.read = [x] {
    const auto h = on_host(x);
    std::vector<long double> values(h.size());
    detail::for_each_element(h, [&](auto const& element, std::size_t k) { values[k] = element; });
    return values;
  };
  out.write = [x](const std::vector<long double>& values) {
    const auto h = Kokkos::create_mirror_view(Kokkos::HostSpace{}, x);
    detail::for_each_element(
        h, [&](auto& element, std::size_t k) { element = static_cast<T>(values.at(k)); });
    Kokkos::deep_copy(x, h);
  };
  return out;
}

}  // namespace parallax::data
