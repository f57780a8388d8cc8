// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/host/scheduler.hpp"

namespace parallax {

/// What tells whether other work used the processors while the samples of a row were taken.
struct Observation {
  int threads = 1;     ///< of the space that the row runs in
  int processors = 0;  ///< that the process may use; 0: not known
  double wall_ns = 0;  ///< of the samples and of the time between them
  /// How long the thread that waited longest was ready to run while another had its processor.
  std::optional<double> waited_ns;
  /// Of the threads' time, how much the host of a virtual machine took.
  std::optional<double> stolen;
  double ran = 1;                 ///< of the threads' time, how much they had a processor
  std::vector<long> switches;     ///< involuntary context switches in each sample
  std::vector<double> sample_ns;  ///< how long each sample took, with all its runs
  double stretch_before = 1, stretch_after = 1;  ///< of the calibrations
};

/// What two readings say of the time between them.
Observation between(const SchedulerReading& before, const SchedulerReading& after, int threads);

/// Why the samples cannot be trusted; "" where nothing speaks against them.
std::string disturbance(const Observation& seen);
/// The samples, counted from 0, in which a thread lost its processor.
std::vector<std::size_t> hit_samples(const Observation& seen);

}  // namespace parallax
