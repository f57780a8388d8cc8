// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/device/space_info.hpp"
#include "platform/host/processors.hpp"

namespace parallax {

/// The caches of one level that the threads of a space have.
struct Cache {
  int level = 0;
  double bytes = 0;  ///< of one of them
  int count = 1;     ///< distinct ones
  [[nodiscard]] double total() const { return bytes * count; }
  [[nodiscard]] std::string name() const { return "L" + std::to_string(level); }
};

/// From the files of Linux: the data caches of these processors, for this number of threads;
/// nearest first. Empty where the system does not tell. Tests put `root` before /sys.
std::vector<Cache> host_caches(const ProcessorSet& processors, int threads,
                               const std::string& root = "");

/// The caches of a space. Of a device only the L2 cache, since a kernel finds nothing of the last
/// one in L1.
std::vector<Cache> caches_of(const SpaceInfo& space);

/// The nearest level that holds these bytes: "L2"; "memory"; "" where no cache is known.
std::string level_that_holds(double bytes, const std::vector<Cache>& caches);

/// All caches of the last level; a guess where none is known.
double last_level_bytes(const std::vector<Cache>& caches);

/// Versions of a device's driver and runtime; "" for hosts.
std::string driver_of(const SpaceInfo& space);

}  // namespace parallax
