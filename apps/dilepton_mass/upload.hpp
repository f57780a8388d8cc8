// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include "data/event_file.hpp"
#include "data/events.hpp"
#include "exercise/api.hpp"

namespace parallax::data {

/// A view of numbers that a vector holds, which must outlive it.
template <class X>
Kokkos::View<X*, Kokkos::HostSpace> view_of(std::vector<X>& values) {
  return Kokkos::View<X*, Kokkos::HostSpace>(values.data(), values.size());
}

/// The slice's columns where the host reads them, without a copy. The slice must outlive them.
template <class T>
Events<Kokkos::DefaultHostExecutionSpace, T> host_events(EventSlice<T>& slice) {
  return {view_of(slice.offsets), view_of(slice.pt), view_of(slice.eta), view_of(slice.phi),
          view_of(slice.charge)};
}

/// A copy of the slice in the space's memory, which on a host is touched by the threads that will
/// use it. Returns when it is complete.
template <class Space, class T>
Events<Space, T> upload(const Space& space, EventSlice<T>& slice) {
  Events<Space, T> e;
  const auto copy = [&](auto& to, auto& from) {
    using Column = std::remove_reference_t<decltype(to)>;
    const auto column = allocate<typename Column::non_const_value_type>(
        space, "column of events", static_cast<std::int64_t>(from.size()));
    Kokkos::deep_copy(space, column, view_of(from));
    input(column);
    to = column;
  };
  copy(e.offsets, slice.offsets);
  copy(e.pt, slice.pt);
  copy(e.eta, slice.eta);
  copy(e.phi, slice.phi);
  copy(e.charge, slice.charge);
  space.fence("parallax::data::upload");
  return e;
}

}  // namespace parallax::data
