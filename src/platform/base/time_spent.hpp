// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

/// Where a run's time goes. Each moment of the main thread belongs to one part, so that the parts
/// add up to the time since the program's start.
namespace parallax::time_spent {

enum class Part {
  inputs,      ///< plans: arrays and what fills them
  references,  ///< what results are compared with
  copies,      ///< results copied to the host for their checks
  checks,      ///< comparisons
  watch,       ///< poison, zones around arrays, hashes of inputs and results
  verified,    ///< the runs that are checked
  samples,     ///< the runs that are timed, warm-up included
  ceilings,
  other  ///< Kokkos's start, files, what is printed
};

/// Counts the time of its life for `part`, but for the lives of those made meanwhile. Main thread
/// only.
class Timer {
 public:
  explicit Timer(Part part);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  Part outer_;
};

/// Seconds until now, part by part: the names of Part, in their order.
using Breakdown = std::vector<std::pair<std::string, double>>;
Breakdown so_far();

}  // namespace parallax::time_spent
