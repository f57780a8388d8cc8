// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "platform/device/sensors.hpp"
#include "platform/host/rapl.hpp"

namespace parallax {

/// What the system's files say of the CPUs: cpufreq, RAPL, thermal zones. All paths begin with
/// `root`.
class CpuSensors {
 public:
  explicit CpuSensors(std::string root = "");

  /// The mean of what cpufreq says of some CPUs, joules of all packages, the hottest package, and
  /// whether a counter of thermal throttling has grown since the last reading. Never `watts`: RAPL
  /// counts joules.
  SensorReading read();

  std::optional<double> max_mhz;  ///< that cpufreq allows
  std::string governor;           ///< of cpufreq; "" where there is none

 private:
  std::string root_;
  std::vector<std::string> frequencies_, temperatures_, throttle_counts_;  ///< files
  Rapl packages_;
  double throttled_before_ = 0;
};

}  // namespace parallax
