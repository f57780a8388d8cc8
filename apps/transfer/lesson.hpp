// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// transfer: arrays between the host's memory and a device's, and inside the device's.
//
// A device reads the host's memory by itself, but only pages that are locked in place (pinned).
// From ordinary (pageable) memory the driver first copies, piece by piece and with one thread, into
// its own pinned buffer: that, not the bus, is what a first program waits for.
//
//   h2d_pageable, d2h_pageable   ordinary memory (Kokkos::HostSpace): the driver stages
//   h2d_pinned, d2h_pinned       pinned memory: the bus at its full rate
//   d2d                          inside the device: its own memory, read and written
//   sequence                     in, compute, out, one after the other, pinned
//
// n sizeof(T) bytes over the bus's rate is the least time one way. A small copy takes some
// microseconds, whatever its size: the time to ask for it.
//
// There is no `team_scratch` here: a copy is done by a copy engine, no team takes part in it, and
// scratch memory, which lives as long as its team, is where neither end of the bus can reach it.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

namespace parallax::kernels::transfer {

/// Indices of 64 bits: Kokkos's own choice has 32 on a GPU, and an array may have more elements
/// than that counts.
template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// An array in pinned memory. Pinning takes longer than a copy: pin once, reuse often.
template <class T>
Kokkos::View<T*, Kokkos::SharedHostPinnedSpace> pinned_array(const std::string& label,
                                                             std::int64_t n) {
  return Kokkos::View<T*, Kokkos::SharedHostPinnedSpace>(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, label), static_cast<std::size_t>(n));
}

/// A copy between any two views of one type and extent. From and to pinned memory and inside a
/// device it is asynchronous; from pageable memory it returns when the driver has read the last
/// piece. Where the views live decides which of the variants it is.
// begin: sequence
template <class Space, class To, class From>
void copy(const Space& space, const To& to, const From& from) {
  // student: begin d2d
  Kokkos::deep_copy(space, to, from);
  // student: end d2d
}
// end: sequence

/// The computation of `sequence`: one pass over the device's memory, a small part of the time that
/// the bus takes.
template <class X>
struct PlusOne {
  X x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { x(i) += 1; }
};

/// In, compute, out. All three are queued on one instance, which does them in order; the bus is
/// used in one direction at a time.
// begin: sequence
template <class Space, class Host, class Device>
void sequence(const Space& space, const Host& in, const Device& device, const Host& out) {
  // student: begin sequence
  copy(space, device, in);
  Kokkos::parallel_for("parallax::transfer::compute",
                       Range<Space>(space, 0, static_cast<std::int64_t>(device.extent(0))),
                       PlusOne<Device>{device});
  copy(space, out, device);
  // student: end sequence
}
// end: sequence

}  // namespace parallax::kernels::transfer
