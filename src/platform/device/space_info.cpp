// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/device/space_info.hpp"

#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <set>
#include <string>

#include "platform/base/error.hpp"
#include "platform/device/device_clock.hpp"
#include "platform/device/spaces.hpp"
#include "platform/host/affinity.hpp"
#include "platform/host/memory.hpp"
#include "platform/host/processors.hpp"
#include "platform/host/system_files.hpp"

namespace parallax {
namespace {

template <class Space>
constexpr bool on_host = std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>;

std::string cpu_name() {
  for (const char* name : {"model name", "Model"})
    if (const auto value = system_files::field("/proc/cpuinfo", name)) return *value;
  return "unknown CPU";
}

/// Name and memory of the device behind a space: the one place that must ask each vendor in its own
/// words.
[[maybe_unused]] void describe_device([[maybe_unused]] SpaceInfo& info) {
#if defined(KOKKOS_ENABLE_CUDA)
  if (info.name == "cuda") {
    cudaDeviceProp properties{};
    std::size_t free = 0, total = 0;
    if (cudaGetDeviceProperties(&properties, Kokkos::Cuda{}.cuda_device()) == cudaSuccess)
      info.device = properties.name;
    if (cudaMemGetInfo(&free, &total) == cudaSuccess) {
      info.memory_free = static_cast<double>(free);
      info.memory_total = static_cast<double>(total);
    }
  }
#elif defined(KOKKOS_ENABLE_HIP)
  if (info.name == "hip") {
    std::size_t free = 0, total = 0;
    info.device = Kokkos::HIP{}.hip_device_prop().name;
    if (hipMemGetInfo(&free, &total) == hipSuccess) {
      info.memory_free = static_cast<double>(free);
      info.memory_total = static_cast<double>(total);
    }
  }
#endif
}

/// Different affinity masks among the threads of a space: what the runtime did, not what it was
/// told.
template <class Space>
int places_of_threads(int threads) {
  const auto masks = processors_of_threads<Space>(threads);
  return static_cast<int>(std::set(masks.begin(), masks.end()).size());
}

template <class Space>
SpaceInfo describe() {
  SpaceInfo info;
  info.name = space_name<Space>();
  info.on_host = on_host<Space>;
  info.concurrency = Space{}.concurrency();
  if constexpr (on_host<Space>) {
    info.device = cpu_name();
    const auto memory = host_memory();
    info.memory_total = memory.total;
    info.memory_free = memory.free;
    if constexpr (takes_threads<Space>) {
      info.places = places_of_threads<Space>(info.concurrency);
      info.binding = binding_reason();
    }
  } else {
    info.device = "device of unknown name";
    describe_device(info);
  }
  return info;
}

}  // namespace

std::vector<std::string> space_names() {
  std::vector<std::string> names;
  for_each_built_in_space([&]<class Space>() { names.push_back(space_name<Space>()); });
  return names;
}

bool runs_on_host(const std::string& space) {
  bool host = true;
  for_each_built_in_space([&]<class Space>() {
    if (space_name<Space>() == space) host = on_host<Space>;
  });
  return host;
}

std::string host_space() {
  const auto names = space_names();
  return *std::find_if(names.begin(), names.end(), runs_on_host);
}

bool takes_a_number_of_threads(const std::string& space) {
  bool takes = false;
  for_each_built_in_space([&]<class Space>() {
    if (space_name<Space>() == space) takes = takes_threads<Space>;
  });
  return takes;
}

void require_device() {
  if (const auto why = bindings::why_no_device(); !why.empty())
    throw MachineError("no GPU found (" + why + "): this build holds the space '" +
                       space_name<Kokkos::DefaultExecutionSpace>() +
                       "'; run it on a node with a GPU, or build the preset 'openmp'");
}

SpaceInfo describe_space(const std::string& name) {
  SpaceInfo found;
  for_each_built_in_space([&]<class Space>() {
    if (space_name<Space>() == name) found = describe<Space>();
  });
  return found;
}

std::vector<SpaceInfo> describe_spaces() {
  std::vector<SpaceInfo> all;
  for_each_built_in_space([&]<class Space>() { all.push_back(describe<Space>()); });
  return all;
}

std::string described(const SpaceInfo& info) {
  if (!info.on_host) return info.name + " (" + info.device + ")";
  const std::string threads =
      info.concurrency == 1 ? "1 thread" : std::to_string(info.concurrency) + " threads";
  return info.name + " (" + threads + " of " + info.device + ")";
}

std::string described_binding(const SpaceInfo& info) {
  if (info.places == 0) return "";
  return (info.places > 1 ? "bound to " + std::to_string(info.places) + " places" : "not bound") +
         (info.binding.empty() ? "" : " (" + info.binding + ")");
}

double last_level_cache_bytes() {
#if defined(_SC_LEVEL3_CACHE_SIZE)
  const long l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (l3 > 0) return static_cast<double>(l3);
#endif
  return 32.0 * 1048576;
}

}  // namespace parallax
