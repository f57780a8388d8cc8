// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>

namespace parallax {

template <class... Spaces>
struct SpaceList {};

namespace detail {
template <class List, class... More>
struct Append;
template <class... Spaces, class... More>
struct Append<SpaceList<Spaces...>, More...> {
  using type = SpaceList<Spaces..., More...>;
};
template <class List, class Space>
struct AppendOnce {
  using type = typename Append<List, Space>::type;
};
template <class... Spaces, class Space>
requires(std::is_same_v<Spaces, Space> || ...) struct AppendOnce<SpaceList<Spaces...>, Space> {
  using type = SpaceList<Spaces...>;
};
#if defined(KOKKOS_ENABLE_SERIAL)
using WithSerial = SpaceList<Kokkos::Serial>;
#else
using WithSerial = SpaceList<>;
#endif
}  // namespace detail

/// Every execution space built into Kokkos here: the serial one, the parallel host one and the
/// device's. Kokkos allows one of each kind, so the defaults name them all without a macro per
/// backend.
using Spaces = typename detail::AppendOnce<
    typename detail::AppendOnce<detail::WithSerial, Kokkos::DefaultHostExecutionSpace>::type,
    Kokkos::DefaultExecutionSpace>::type;

/// Calls f.template operator()<Space>() for every space built in.
template <class F, class... S>
void for_each_space(F&& f, SpaceList<S...> = {}) {
  (f.template operator()<S>(), ...);
}
template <class F>
void for_each_built_in_space(F&& f) {
  for_each_space(f, Spaces{});
}

/// The name users type: Kokkos's own in lower case (serial, openmp, threads, cuda, hip, sycl).
template <class Space>
std::string space_name() {
  std::string name = Space::name();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

/// Whether instances of a space can be made with fewer threads than Kokkos has: OpenMP's can.
template <class Space>
inline constexpr bool takes_threads =
    std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>&&
        std::is_constructible_v<Space, int>;

/// An instance with `threads` threads; 0: the default instance, with all of them.
template <class Space>
Space make_space([[maybe_unused]] int threads) {
  if constexpr (takes_threads<Space>)
    if (threads > 0) return Space(threads);
  return Space{};
}

template <class T>
const constexpr char* precision_name() {
  static_assert(std::is_arithmetic_v<T>, "a precision is an arithmetic type");
  constexpr bool wide = sizeof(T) == 8;
  if constexpr (std::is_floating_point_v<T>) return wide ? "f64" : "f32";
  if constexpr (std::is_signed_v<T>) return wide ? "i64" : "i32";
  return wide ? "u64" : "u32";
}

}  // namespace parallax
