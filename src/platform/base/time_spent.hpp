// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
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

/// Seconds, part by part: the names of Part, in their order.
using Breakdown = std::vector<std::pair<std::string, double>>;

/// Counts for a run, from the program's start on; one at a time, owned by the run. Main thread
/// only.
class Account {
 public:
  Account();
  ~Account();
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;
  /// Until now.
  [[nodiscard]] Breakdown so_far();

 private:
  friend class Timer;
  using Clock = std::chrono::steady_clock;
  Part enter(Part part);

  std::array<Clock::duration, static_cast<std::size_t>(Part::other) + 1> spent_{};
  Part current_ = Part::other;
  Clock::time_point since_;
};

/// RAII timer: charges its lifetime to `part`, less the lifetimes of nested timers. Without an
/// account it does nothing.
class Timer {
 public:
  explicit Timer(Part part);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  Account* account_;
  Part outer_ = Part::other;
};

}  // namespace parallax::time_spent
