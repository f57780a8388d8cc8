// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// What only a vendor's runtime knows of the device that Kokkos uses: whether there is one, where it
// is, and how fast its clock runs.
#pragma once

#include <Kokkos_Core.hpp>
#include <optional>
#include <string>

namespace parallax::bindings {

/// Why this process can use no device; "" where it can, or needs none. Kokkos ends the program
/// where it asks for their number and HIP finds none.
inline std::string why_no_device() {
#if defined(KOKKOS_ENABLE_CUDA)
  int count = 0;
  if (const auto error = cudaGetDeviceCount(&count); error != cudaSuccess)
    return cudaGetErrorString(error);
  return count > 0 ? "" : "none is visible";
#elif defined(KOKKOS_ENABLE_HIP)
  int count = 0;
  if (const auto error = hipGetDeviceCount(&count); error != hipSuccess)
    return hipGetErrorString(error);
  return count > 0 ? "" : "none is visible";
#else
  return Kokkos::num_devices() == 0 ? "none is visible" : "";  // -1: a build only for hosts
#endif
}

/// The device's address on the PCI bus, "0000:65:00.0"; "" where there is none.
inline std::string device_bus_address() {
#if defined(KOKKOS_ENABLE_CUDA)
  char text[32] = {};
  if (cudaDeviceGetPCIBusId(text, sizeof text, Kokkos::Cuda{}.cuda_device()) == cudaSuccess)
    return text;
#elif defined(KOKKOS_ENABLE_HIP)
  char text[32] = {};
  if (hipDeviceGetPCIBusId(text, sizeof text, Kokkos::HIP{}.hip_device()) == hipSuccess)
    return text;
#endif
  return "";
}

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)

KOKKOS_INLINE_FUNCTION unsigned long long device_cycles() {
  KOKKOS_IF_ON_DEVICE((return static_cast<unsigned long long>(clock64());))
  KOKKOS_IF_ON_HOST((return 0;))
}
/// Of a clock that runs at one speed.
KOKKOS_INLINE_FUNCTION unsigned long long device_ticks() {
#if defined(KOKKOS_ENABLE_CUDA)
  KOKKOS_IF_ON_DEVICE((unsigned long long ns; asm volatile("mov.u64 %0, %%globaltimer;"
                                                           : "=l"(ns));
                       return ns;))
#else
  KOKKOS_IF_ON_DEVICE((return static_cast<unsigned long long>(wall_clock64());))
#endif
  KOKKOS_IF_ON_HOST((return 0;))
}

/// The clock of the multiprocessors: cycles over nanoseconds in a kernel of one thread that runs
/// for a fifth of a millisecond. `launch` queues it behind what was launched before, `mhz` waits
/// for it.
class DeviceClock {
 public:
  void launch() {
#if defined(KOKKOS_ENABLE_HIP)
    int khz = 0;  // of the clock that runs at one speed
    if (hipDeviceGetAttribute(&khz, hipDeviceAttributeWallClockRate, Kokkos::HIP{}.hip_device()) !=
            hipSuccess ||
        khz <= 0)
      return;
    const double ns_per_tick = 1e6 / khz;
#else
    const double ns_per_tick = 1;
#endif
    const auto found = found_;
    Kokkos::parallel_for(
        "parallax::device_clock", Kokkos::RangePolicy<Space>(Space{}, 0, 1), KOKKOS_LAMBDA(int) {
          const double wanted = 200e3 / ns_per_tick;
          const auto start = device_ticks();
          const auto first_cycle = device_cycles();
          auto stop = start;
          while (static_cast<double>(stop - start) < wanted) stop = device_ticks();
          found(0) = static_cast<double>(device_cycles() - first_cycle);
          found(1) = static_cast<double>(stop - start) * ns_per_tick;
        });
    launched_ = true;
  }

  std::optional<double> mhz() {
    if (!launched_) return std::nullopt;
    launched_ = false;
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, found_);
    if (host(1) <= 0) return std::nullopt;
    return 1e3 * host(0) / host(1);
  }

 private:
  using Space = Kokkos::DefaultExecutionSpace;
  Kokkos::View<double[2], Space::memory_space> found_{"parallax::device_clock"};
  bool launched_ = false;
};

#else

/// Builds for CPUs, and devices without such a pair of clocks.
struct DeviceClock {
  void launch() {}
  std::optional<double> mhz() { return std::nullopt; }
};

#endif

}  // namespace parallax::bindings
