// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// transfer: arrays between the host's memory and a device's, and inside the device's.
//
// A device reads the host's memory by itself, but only pages that are locked in place (pinned).
// From ordinary (pageable) memory the driver has to copy first, piece by piece, into a pinned
// buffer of its own, with one thread: that, not the bus, is what a first program waits for.
//
//   h2d_pageable, d2h_pageable   ordinary memory: the driver stages
//   h2d_pinned, d2h_pinned       pinned memory: the bus at its full rate
//   h2d_staged, d2h_staged       ordinary memory, staged by all host cores (staging.hpp)
//   d2d                          inside the device: its own memory, read and written
//   sequence                     in, compute, out, one after the other, pinned
//   overlap                      the same in pieces: both directions of the bus and the cores at
//   once
//
// n sizeof(T) bytes over the bus's rate is the least time one way. A small copy costs what it costs
// to ask for it, some 5 to 10 microseconds, whatever its size.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "device/elementwise.hpp"
#include "device/staging.hpp"
#include "device/transform.hpp"

namespace parallax::kernels {

/// A copy between any two views of one type and extent, asynchronous where memory allows: from and
/// to pinned memory and inside a device it is, from pageable memory it returns when the driver has
/// read the last piece. Where the views live decides which of the variants it is.
template <class Space, class To, class From>
void transfer_copy(const Space& space, const To& to, const From& from) {
  Kokkos::deep_copy(space, to, from);
}

/// The computation of `sequence` and `overlap`: one pass over the device's memory, which is to the
/// bus as a footstep to a journey.
template <class Space, class X>
void transfer_compute(const Space& space, const X& x) {
  transform("parallax::transfer::compute", space, x, elementwise::Plus<1>{}, x);
}

/// In, compute, out. All three are queued on one instance, which does them in order; the bus is
/// used in one direction at a time.
template <class Space, class Host, class Device>
void transfer_sequence(const Space& space, const Host& in, const Device& device, const Host& out) {
  transfer_copy(space, device, in);
  transfer_compute(space, device);
  transfer_copy(space, out, device);
}

/// The same in pieces, dealt out to several execution space instances (CUDA's and HIP's streams).
/// Each instance does its pieces in order; different instances wait for nobody, so while one copies
/// in, another computes and a third copies out. The bus carries both directions at once.
///
/// `in` and `out` are pinned, or the copies would not be asynchronous. Pieces are a multiple of
/// 256 bytes, for the wide loads of the computation, and large enough that asking for them (some
/// microseconds) is lost in their time. All instances are done on return, as later work on another
/// instance would not wait for them.
template <class Space, class Host, class Device>
void transfer_overlap(const std::vector<Space>& instances, const Host& in, const Device& device,
                      const Host& out) {
  constexpr std::size_t piece_bytes = std::size_t{8} << 20;
  const std::size_t n = device.extent(0);
  const std::size_t piece = piece_bytes / sizeof(typename Device::value_type);
  for (std::size_t begin = 0, k = 0; begin < n; begin += piece, ++k) {
    const std::pair part(begin, std::min(begin + piece, n));
    transfer_sequence(instances[k % instances.size()], Kokkos::subview(in, part),
                      Kokkos::subview(device, part), Kokkos::subview(out, part));
  }
  for (const Space& instance : instances) instance.fence("parallax::transfer::overlap");
}

}  // namespace parallax::kernels
