// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exercise/exercise.hpp"
#include "measure/ceilings/ceilings.hpp"
#include "measure/time/energy.hpp"
#include "measure/time/machine_state.hpp"
#include "measure/time/timing.hpp"
#include "measure/verify/diagnosis.hpp"
#include "measure/verify/watcher.hpp"
#include "platform/base/statistics.hpp"
#include "platform/base/time_spent.hpp"
#include "platform/ranks/division.hpp"
#include "run/results/machine.hpp"

namespace parallax {

/// What became of one row.
struct RowResult {
  std::string exercise, variant, space, precision, phase;
  Values parameters;
  int threads = 0;     ///< in a sweep over threads; 0: all
  std::string suffix;  ///< "/n:1000" in a sweep, so that names stay unique
  Work work;
  Samples samples;                  ///< empty with --verify-only
  RowState state;                   ///< of the machine, while they were taken
  std::optional<RowEnergy> energy;  ///< with --energy, of rows that were timed
  WorkingSet set;                   ///< 0 bytes where it moves none, or across the bus
  Bound bound;                      ///< empty where ceilings were not measured
  std::optional<Verdict> verdict;
  std::vector<std::uint64_t> bits;   ///< hashes of its outputs (`Trial::hashes`)
  std::optional<Cause> cause;        ///< why the check failed, where that was asked for
  std::optional<Launches> launches;  ///< of one run that is right, where that was asked for
  bool expected_to_fail = false;
  bool other_work = false;  ///< see Variant::other_work
  Tier tier = Tier::lesson;
  std::string answer;                   ///< see Exercise::answer
  int team_size = 0;                    ///< threads of a team; 0: it has none
  bool tuned_for_this_machine = false;  ///< see Case
  /// Of several ranks: `work` of all, `bound` of the slowest.
  Division division;
  double link_ns = 0;       ///< the least that its messages take; 0: it sends none
  std::string unavailable;  ///< why it could not run here; then nothing else is set

  /// "exercise/variant/space/precision[/phase][/name:value][/ranks:N or /weak:N][/cold]"
  [[nodiscard]] std::string name() const;
  /// The part of it behind the precision.
  [[nodiscard]] std::string distinction() const;
  [[nodiscard]] bool verified() const { return verdict && verdict->passed; }
  /// An unexpected failure.
  [[nodiscard]] bool failed() const { return verdict && !verdict->passed && !expected_to_fail; }
  [[nodiscard]] double median_ns() const { return median(samples.real_ns); }
  /// 100 where the ceiling is reached; NaN where there is none.
  [[nodiscard]] double percent_of_ceiling() const;
  /// The share of its time that its messages take at least; NaN where it sends none.
  [[nodiscard]] double percent_of_link() const;
  /// The same of the work without the variant's atomic additions; NaN where they bound nothing.
  [[nodiscard]] double percent_without_atomics() const;
};

/// Everything one run found, as it goes into the files.
struct Results {
  std::string command_line;
  std::string executable;
  Machine machine;
  std::map<std::string, StateSources> state_sources;  ///< by space
  std::vector<RowResult> cases;
  time_spent::Breakdown seconds;  ///< where the time went; empty: not known
  /// The same of each exercise's cases that are finished.
  std::map<std::string, time_spent::Breakdown> exercise_seconds;
  bool complete = false;
};

}  // namespace parallax
