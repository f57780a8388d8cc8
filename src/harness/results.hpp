// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/ceilings.hpp"
#include "harness/device.hpp"
#include "harness/diagnosis.hpp"
#include "harness/division.hpp"
#include "harness/energy.hpp"
#include "harness/exercise.hpp"
#include "harness/links.hpp"
#include "harness/machine_state.hpp"
#include "harness/seconds.hpp"
#include "harness/timing.hpp"

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
  std::vector<std::uint64_t> bits;  ///< hashes of its outputs (`Trial::hashes`)
  std::optional<Cause> cause;       ///< why the check failed, where that was asked for
  bool expected_to_fail = false;
  bool other_work = false;  ///< see Variant::other_work
  Tier tier = Tier::lesson;
  int team_size = 0;                    ///< threads of a team; 0: it has none
  bool tuned_for_this_machine = false;  ///< see Case
  /// Of several ranks: `work` of all, `bound` of the slowest.
  Division division;
  double link_ns = 0;       ///< the least that its messages take; 0: it sends none
  std::string unavailable;  ///< why it could not run here; then nothing else is set

  /// "exercise/variant/space/precision[/phase][/name:value][/ranks:N or /weak:N][/cold]"
  [[nodiscard]] std::string name() const;
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

/// How the arrays of a space go from rank to rank, and what that way takes; nothing is measured
/// where it is the hosts' own.
struct Route {
  transport::Choice choice;
  Links links;
};

/// Everything one run found, as it goes into the files.
struct Results {
  std::string command_line;
  std::string executable;
  std::vector<SpaceInfo> spaces;
  std::vector<Ceilings> ceilings;
  std::map<std::string, StateSources> state_sources;  ///< by space
  std::map<std::string, std::vector<Cache>> caches;   ///< by space
  std::vector<RowResult> cases;
  std::vector<std::string> ranks;       ///< where each runs, of several
  Links links;                          ///< from host to host
  std::map<std::string, Route> routes;  ///< by space, of several ranks
  seconds::Breakdown seconds;           ///< where the time went; empty: not known
  /// The same of each exercise's cases that are finished.
  std::map<std::string, seconds::Breakdown> exercise_seconds;
  bool complete = false;
};

/// Google Benchmark's JSON schema with our own fields besides (docs/results.md).
std::string to_json(const Results& results);
/// One line per row; the header names the columns.
std::string to_csv(const Results& results);
/// A line for each row that was timed and verified: "parallax.fom NAME PARAMETER=VALUE... TIME ns".
/// Contract: docs/command-line.md.
std::string fom_lines(const Results& results);

}  // namespace parallax
