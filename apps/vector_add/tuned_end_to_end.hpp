// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// vector_add from host memory to host memory: the bus decides, so copies, kernels and the host's
// own copying are overlapped.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>

#include "device/staging.hpp"
#include "vector_add/tuned.hpp"

namespace parallax::kernels::vector_add {

/// c = a + b for contiguous host views, end to end: chunks of a and b in, the sum, c out, with
/// copies in both directions, kernels and the host's own copying overlapped. On a host space it is
/// only the kernel. Complete on return.
template <class Space, class Array>
void end_to_end(const Space& space, const Staging<Space>& staging, const Array& a, const Array& b,
                const Array& c) {
  if constexpr (needs_staging<Space>) {
    using T = typename Array::value_type;
    using Part = Kokkos::View<T*, typename Space::memory_space, Kokkos::MemoryUnmanaged>;
    space.fence("parallax::staging: before vector_add");
    const std::size_t n = c.extent(0);
    const std::size_t step =
        staging.slot_bytes() / 768 * 256 / sizeof(T);  // a third of a slot, aligned
    const std::size_t third = step * sizeof(T);
    staging.pipeline(
        (n + step - 1) / step,
        [&](const auto& slot, std::size_t k) {
          const std::size_t at = k * step, count = std::min(step, n - at),
                            bytes = count * sizeof(T);
          std::byte *pinned = slot.pinned.data(), *device = slot.device.data();
          staging.copy(pinned, a.data() + at, bytes);
          slot.to_device(0, bytes);
          staging.copy(pinned + third, b.data() + at, bytes);
          slot.to_device(third, bytes);
          const auto part = [&](int p) {
            return Part(reinterpret_cast<T*>(device + static_cast<std::size_t>(p) * third), count);
          };
          wide(slot.instance, part(0), part(1), part(2));
          slot.from_device(2 * third, bytes);
        },
        [&](const auto& slot, std::size_t k) {
          const std::size_t at = k * step;
          staging.copy(c.data() + at, slot.pinned.data() + 2 * third,
                       std::min(step, n - at) * sizeof(T));
        });
  } else {
    static_assert(Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible,
                  "a device without pinned host memory has no end-to-end vector_add");
    wide(space, a, b, c);
    space.fence("parallax::staging: vector_add done");
  }
}

}  // namespace parallax::kernels::vector_add
