// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/verify/watcher.hpp"

#include <Kokkos_Core.hpp>
#include <string_view>

#include "platform/device/runtime.hpp"

namespace parallax {
namespace {

namespace tools = Kokkos::Tools::Experimental;

Launches* counts = nullptr;

std::string name_of(tools::DeviceType type) {
  switch (type) {
    case tools::DeviceType::Serial: return "serial";
    case tools::DeviceType::OpenMP: return "openmp";
    case tools::DeviceType::Cuda: return "cuda";
    case tools::DeviceType::HIP: return "hip";
    case tools::DeviceType::Threads: return "threads";
    default: return "another space";
  }
}

void count(const char* label, std::uint32_t device, std::uint64_t*) {
  for (const std::string_view own : {"Kokkos::ViewFill", "Kokkos::ViewCopy", "Kokkos::View::"})
    if (std::string_view(label).starts_with(own)) return;
  ++(*counts)[name_of(tools::identifier_from_devid(device).type)];
}

/// RAII: Kokkos calls `count`, instead of a tool that the user has loaded.
class Counting {
 public:
  explicit Counting(Launches& launches) : before_(tools::get_callbacks()) {
    counts = &launches;
    tools::set_begin_parallel_for_callback(count);
    tools::set_begin_parallel_reduce_callback(count);
    tools::set_begin_parallel_scan_callback(count);
  }
  ~Counting() {
    tools::set_callbacks(before_);
    counts = nullptr;
  }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

 private:
  tools::EventSet before_;
};

}  // namespace

Launches launches_of(const std::function<void()>& run) {
  Launches launches;
  const Counting counting(launches);
  run();
  runtime::fence("parallax::launches_of");
  return launches;
}

}  // namespace parallax
