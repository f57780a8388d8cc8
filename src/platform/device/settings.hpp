// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace parallax {

/// What Kokkos and the OpenMP runtime read when they start, judged before they do: they abort,
/// print their own complaint or deadlock where a value is wrong.
struct KokkosSettings {
  std::vector<std::string> flags;                      ///< --kokkos-..., as typed
  std::function<const char*(const char*)> variable{};  ///< std::getenv
  bool openmp = false;                                 ///< the space openmp is built in
  int processors = 1;                                  ///< that this process may run on
};

/// Threads that Kokkos's pool on the host can hold (HostThreadTeamData::max_pool_members and
/// OpenMPInternal::MAX_THREAD_COUNT).
inline constexpr int most_threads = 512;

/// Throws UsageError for the first value that is wrong. Returns the number of threads that the
/// space openmp will have; 0 where it is not built in.
int check_kokkos_settings(const KokkosSettings& settings);

/// Throws MachineError where a library of Kokkos Tools that was asked for cannot be loaded.
void require_tools(const KokkosSettings& settings);

}  // namespace parallax
