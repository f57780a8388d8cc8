// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace parallax {

/// What the system's scheduler has counted up to a moment.
struct SchedulerReading {
  std::chrono::steady_clock::time_point at;
  double cpu_ns = 0;                ///< of all threads of this process
  std::map<int, double> waited_ns;  ///< of each: ready to run, while another had its processor
  /// Taken by the host of a virtual machine, from the processors that this process may use.
  std::optional<double> stolen_ns;
  int processors = 0;  ///< that this process may use
};

/// Reads /proc; all paths begin with `root`.
SchedulerReading read_scheduler(const std::string& root = "");

/// Involuntary context switches of all threads of this process.
long involuntary_switches();

}  // namespace parallax
