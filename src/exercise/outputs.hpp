// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "device/split_mix64.hpp"
#include "exercise/arrays.hpp"
#include "exercise/check.hpp"
#include "exercise/exercise.hpp"
#include "exercise/raw_output.hpp"
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

namespace detail {

template <class X>
inline constexpr bool host_reads =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename X::memory_space>::accessible;

/// By whose name raw_elements.hpp knows where a View is.
template <class X>
const char* memory_of(const X&) {
  if constexpr (host_reads<X>)
    return Kokkos::HostSpace::name();
  else
    return X::memory_space::name();
}

}  // namespace detail

/// The view's content where the host can read it; no copy on host spaces. Fences.
template <class X>
auto on_host(X const& x) {
  const time_spent::Timer copying(time_spent::Part::copies);
  if constexpr (detail::host_reads<X>) {
    Kokkos::fence("parallax::data::on_host");
    return x;
  } else {
    auto copy = Kokkos::create_mirror_view(
        Kokkos::view_alloc(Kokkos::HostSpace{}, Kokkos::WithoutInitializing), x);
    if (!x.span_is_contiguous()) throw std::logic_error("'" + x.label() + "' has gaps");
    const std::size_t bytes = x.span() * sizeof(typename X::value_type);
    check::touch_pages(copy.data(), bytes);
    raw::read(detail::memory_of(x), x.data(), copy.data(), bytes);
    return copy;
  }
}

/// Describes a view of rank 0, 1 or 2 that a row writes, so that the harness can poison it and
/// tests can damage it.
///
/// `one_update` is the least that one lost update (a forgotten `+=`) changes an element by: 1 for
/// counts, the smallest term for sums. Leave it 0 where elements are written and not updated.
template <class Space, class X>
Output output(const Space&, const std::string& name, X const& x, double one_update = 0) {
  using T = typename X::non_const_value_type;
  static_assert(std::is_arithmetic_v<T> && X::rank() <= 2);
  if (!x.span_is_contiguous()) throw std::logic_error("output '" + name + "' has gaps");
  raw::Order order;
  if constexpr (X::rank() == 2) order = {x.extent(1), x.stride(0), x.stride(1)};
  auto out = raw::output(name,
                         {detail::memory_of(x), x.data(), x.size(), sizeof(T),
                          std::is_floating_point_v<T>, std::is_signed_v<T>},
                         order, Space::name(),
                         std::is_same_v<typename X::memory_space, typename Space::memory_space>,
                         std::make_shared<X>(x));
  out.one_update = one_update;
  return out;
}

}  // namespace parallax::data
