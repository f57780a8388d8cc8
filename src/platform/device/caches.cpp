// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/device/caches.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "platform/device/spaces.hpp"
#include "platform/host/affinity.hpp"
#include "platform/host/system_files.hpp"

namespace parallax {
namespace {

/// "48K" or "32M"; 0 for anything else.
double size_of(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const std::string unit(std::from_chars(text.data(), end, number).ptr, end);
  return unit == "K" ? number * 1024 : unit == "M" ? number * 1048576 : unit.empty() ? number : 0;
}

/// Processors that the threads of a space may run on.
template <class Space>
ProcessorSet processors_of(int threads) {
  ProcessorSet all;
  for (auto& of_thread : processors_of_threads<Space>(threads)) all.merge(of_thread);
  return all;
}

/// Bytes of a device's L2 cache; 0 where it is not known.
[[maybe_unused]] double device_cache_bytes([[maybe_unused]] const std::string& space) {
#if defined(KOKKOS_ENABLE_CUDA)
  int bytes = 0;
  if (space == "cuda" && cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize,
                                                Kokkos::Cuda{}.cuda_device()) == cudaSuccess)
    return bytes;
#elif defined(KOKKOS_ENABLE_HIP)
  if (space == "hip") return Kokkos::HIP{}.hip_device_prop().l2CacheSize;
#endif
  return 0;
}

}  // namespace

std::vector<Cache> host_caches(const ProcessorSet& processors, int threads,
                               const std::string& root) {
  std::map<int, double> bytes;
  std::map<int, std::set<std::string>> sharers;  // each set of processors has one cache
  for (const auto p : processors)
    for (int index = 0; index < 8; ++index) {
      const std::string folder = root + "/sys/devices/system/cpu/cpu" + std::to_string(p) +
                                 "/cache/index" + std::to_string(index) + "/";
      const auto line = [&](const char* file) {
        return system_files::first_line(folder + file).value_or("");
      };
      const auto type = line("type");
      const auto level = static_cast<int>(system_files::number(folder + "level").value_or(0));
      const double size = size_of(line("size"));
      if ((type != "Data" && type != "Unified") || level < 1 || size <= 0) continue;
      bytes[level] = std::max(bytes[level], size);
      sharers[level].insert(line("shared_cpu_list"));
    }
  std::vector<Cache> caches;
  for (const auto& [level, size] : bytes)
    caches.push_back({level, size, std::min(threads, static_cast<int>(sharers[level].size()))});
  return caches;
}

std::vector<Cache> caches_of(const SpaceInfo& space) {
  if (!space.on_host) {
    const double bytes = device_cache_bytes(space.name);
    return bytes > 0 ? std::vector<Cache>{{2, bytes, 1}} : std::vector<Cache>{};
  }
  std::vector<Cache> caches;
  for_each_built_in_space([&]<class Space>() {
    if constexpr (std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>)
      if (space_name<Space>() == space.name)
        caches = host_caches(processors_of<Space>(space.concurrency), space.concurrency);
  });
  return caches;
}

std::string level_that_holds(double bytes, const std::vector<Cache>& caches) {
  if (caches.empty()) return "";
  for (const auto& cache : caches)
    if (bytes <= cache.total()) return cache.name();
  return "memory";
}

double last_level_bytes(const std::vector<Cache>& caches) {
  return caches.empty() ? last_level_cache_bytes() : caches.back().total();
}

std::string driver_of([[maybe_unused]] const SpaceInfo& space) {
  [[maybe_unused]] int driver = 0, runtime = 0;
#if defined(KOKKOS_ENABLE_CUDA)
  if (space.name == "cuda" && cudaDriverGetVersion(&driver) == cudaSuccess &&
      cudaRuntimeGetVersion(&runtime) == cudaSuccess)
    return "CUDA driver " + std::to_string(driver) + ", runtime " + std::to_string(runtime);
#elif defined(KOKKOS_ENABLE_HIP)
  if (space.name == "hip" && hipDriverGetVersion(&driver) == hipSuccess &&
      hipRuntimeGetVersion(&runtime) == hipSuccess)
    return "HIP driver " + std::to_string(driver) + ", runtime " + std::to_string(runtime);
#endif
  return "";
}

}  // namespace parallax
