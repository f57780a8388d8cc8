// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Copies between ordinary (pageable) host memory and a device, through pinned buffers.
//
// A device's copy engine can only reach pages that are locked in place, so a copy from pageable
// memory is done by the driver: one thread moves pieces into a small pinned buffer, and the bus
// waits for it. Here several threads fill (or empty) the pinned pieces, and several execution space
// instances keep the bus busy meanwhile in both directions. Pieces are small enough to stay in the
// CPU's cache between core and copy engine.
//
// A host space has nothing to stage, and a device without pinned memory nothing to stage in: there
// the same functions are Kokkos's plain copies. On an H100 with 16 host cores, 12 MiB a slot and 4
// slots were best or near it in all three uses; below 6 MiB the cost of starting each piece shows.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace parallax::kernels {

/// True where data of `Space` is out of the host's reach and pinned memory is to be had.
template <class Space>
inline constexpr bool needs_staging =
    !Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace,
                                typename Space::memory_space>::accessible &&
    Kokkos::has_shared_host_pinned_space;

/// Copies of fewer bytes are left to the driver: to wake threads costs more than their help saves.
inline constexpr std::size_t staging_pays_from = std::size_t{4} << 20;

/// The ring that copies were fastest with.
inline constexpr std::size_t staging_slot = std::size_t{12} << 20;
inline constexpr int staging_slots = 4;
/// The bytes that it takes, on the device and of pinned memory each.
inline constexpr double staging_bytes = static_cast<double>(staging_slot) * staging_slots;

/// memcpy by whichever threads: platform/host/copiers.hpp has some.
using HostCopy = std::function<void(void* to, const void* from, std::size_t bytes)>;

/// A ring of slots, each with its own execution space instance, a pinned buffer and a device
/// buffer of one size. Pinning memory is slow (it would cost more than the copy): make one Staging
/// and keep it. For a host space the ring is empty.
template <class Space>
class Staging {
 public:
  using PinnedSpace =
      std::conditional_t<needs_staging<Space>, Kokkos::SharedHostPinnedSpace, Kokkos::HostSpace>;
  using Pinned = Kokkos::View<std::byte*, PinnedSpace>;
  using Device = Kokkos::View<std::byte*, typename Space::memory_space>;

  struct Slot {
    Space instance;
    Pinned pinned;
    Device device;

    /// Queues a copy of `bytes` bytes at offset `at` of the slot's own buffers.
    void to_device(std::size_t at, std::size_t bytes) const {
      const std::pair part(at, at + bytes);
      Kokkos::deep_copy(instance, Kokkos::subview(device, part), Kokkos::subview(pinned, part));
    }
    void from_device(std::size_t at, std::size_t bytes) const {
      const std::pair part(at, at + bytes);
      Kokkos::deep_copy(instance, Kokkos::subview(pinned, part), Kokkos::subview(device, part));
    }
  };

  Staging(const Space& space, HostCopy copy, std::size_t slot_bytes = staging_slot,
          int slots = staging_slots)
      : slot_bytes_(std::max(slot_bytes, std::size_t{4096})), copy_(std::move(copy)) {
    if constexpr (needs_staging<Space>) {
      const std::vector<int> weights(static_cast<std::size_t>(std::max(slots, 1)), 1);
      for (const Space& instance : Kokkos::Experimental::partition_space(space, weights)) {
        const auto prop = [](const char* label) {
          return Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(label));
        };
        slots_.push_back(Slot{instance, Pinned(prop("parallax::staging::pinned"), slot_bytes_),
                              Device(prop("parallax::staging::device"), slot_bytes_)});
      }
    }
  }

  std::size_t slot_bytes() const { return slot_bytes_; }

  /// memcpy of host memory.
  void copy(void* to, const void* from, std::size_t bytes) const { copy_(to, from, bytes); }

  /// Runs `chunks` chunks through the ring: fill(slot, k) puts chunk k into its slot and queues
  /// work on the slot's instance; drain(slot, k) is called when that work is complete, before the
  /// slot takes its next chunk.
  template <class Fill, class Drain>
  void pipeline(std::size_t chunks, const Fill& fill, const Drain& drain) const {
    const std::size_t ring = slots_.size();
    for (std::size_t k = 0; k < chunks + ring; ++k) {
      const Slot& slot = slots_[k % ring];
      if (k >= ring && k - ring < chunks) {
        slot.instance.fence("parallax::staging: chunk complete");
        drain(slot, k - ring);
      }
      if (k < chunks) fill(slot, k);
    }
  }

 private:
  std::size_t slot_bytes_;
  std::vector<Slot> slots_;
  HostCopy copy_;
};

/// Copies a contiguous host view to a device view of the same type and extent. Work queued on
/// `space` before is waited for; the copy is complete on return (as with Kokkos::deep_copy without
/// an instance).
template <class Space, class To, class From>
void copy_to_device_staged(const Space& space, const Staging<Space>& staging, const To& to,
                           const From& from) {
  if constexpr (needs_staging<Space>) {
    space.fence("parallax::staging: before copy to device");
    const std::size_t bytes = from.span() * sizeof(typename From::value_type);
    if (bytes < staging_pays_from) {
      Kokkos::deep_copy(space, to, from);
      space.fence("parallax::staging: small copy complete");
      return;
    }
    auto* device = reinterpret_cast<std::byte*>(to.data());
    const auto* host = reinterpret_cast<const std::byte*>(from.data());
    const std::size_t step = staging.slot_bytes();
    staging.pipeline(
        (bytes + step - 1) / step,
        [&](const auto& slot, std::size_t k) {
          const std::size_t at = k * step, part = std::min(step, bytes - at);
          staging.copy(slot.pinned.data(), host + at, part);
          using Bytes =
              Kokkos::View<std::byte*, typename Space::memory_space, Kokkos::MemoryUnmanaged>;
          Kokkos::deep_copy(slot.instance, Bytes(device + at, part),
                            Kokkos::subview(slot.pinned, std::pair(std::size_t{0}, part)));
        },
        [](const auto&, std::size_t) {});
  } else {
    Kokkos::deep_copy(space, to, from);
    space.fence("parallax::staging: copy complete");
  }
}

/// The other way: device view to contiguous host view.
template <class Space, class To, class From>
void copy_from_device_staged(const Space& space, const Staging<Space>& staging, const To& to,
                             const From& from) {
  if constexpr (needs_staging<Space>) {
    space.fence("parallax::staging: before copy from device");
    const std::size_t bytes = from.span() * sizeof(typename From::value_type);
    if (bytes < staging_pays_from) {
      Kokkos::deep_copy(space, to, from);
      space.fence("parallax::staging: small copy complete");
      return;
    }
    auto* host = reinterpret_cast<std::byte*>(to.data());
    // deep_copy asks for a View of bytes that it may read; it writes nothing through it.
    auto* device = const_cast<std::byte*>(reinterpret_cast<const std::byte*>(from.data()));
    const std::size_t step = staging.slot_bytes();
    staging.pipeline(
        (bytes + step - 1) / step,
        [&](const auto& slot, std::size_t k) {
          const std::size_t at = k * step, part = std::min(step, bytes - at);
          using Bytes =
              Kokkos::View<std::byte*, typename Space::memory_space, Kokkos::MemoryUnmanaged>;
          Kokkos::deep_copy(slot.instance,
                            Kokkos::subview(slot.pinned, std::pair(std::size_t{0}, part)),
                            Bytes(device + at, part));
        },
        [&](const auto& slot, std::size_t k) {
          const std::size_t at = k * step;
          staging.copy(host + at, slot.pinned.data(), std::min(step, bytes - at));
        });
  } else {
    Kokkos::deep_copy(space, to, from);
    space.fence("parallax::staging: copy complete");
  }
}

}  // namespace parallax::kernels
