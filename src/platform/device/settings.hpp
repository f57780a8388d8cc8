// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace parallax {

/// What Kokkos and the OpenMP runtime read when they start. They judge it themselves, except for
/// the values at which they abort or deadlock: those are refused before they start.
struct KokkosSettings {
  std::vector<std::string> flags;                      ///< --kokkos-..., as typed
  std::function<const char*(const char*)> variable{};  ///< std::getenv
  bool openmp = false;                                 ///< the space openmp is built in
  int processors = 1;                                  ///< that this process may run on
};

/// Threads that Kokkos's pool on the host can hold (HostThreadTeamData::max_pool_members and
/// OpenMPInternal::MAX_THREAD_COUNT).
inline constexpr int most_threads = 512;

/// Throws UsageError for the first value that would end the process. Returns the number of threads
/// that the space openmp will have; 0 where it is not built in.
int check_kokkos_settings(const KokkosSettings& settings);

/// Throws MachineError where the device that was asked for is not among these.
void require_device_id(const KokkosSettings& settings, int devices);

/// Throws MachineError where a library of Kokkos Tools that was asked for cannot be loaded.
void require_tools(const KokkosSettings& settings);

}  // namespace parallax
