// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "exercise/exercise.hpp"
#include "measure/ceilings/flush.hpp"
#include "measure/time/machine_state.hpp"
#include "measure/verify/trial.hpp"
#include "run/cases/run_options.hpp"
#include "run/energy_rows.hpp"
#include "run/results/results.hpp"

namespace parallax {

/// A row's speed over the fastest that is possible: above 1 it has skipped its work. A core moves
/// less than a terabyte, does less than 10^12 operations and makes less than 10^12 items a second,
/// even in its nearest cache; a host's ceilings are not used, since another process may have slowed
/// them down. A GPU makes less than 10^15 items a second, and its caches are less than a hundred
/// times as fast as its memory. But a ceiling measured beside other work may be far too low without
/// being marked as unsure, so a row that is too fast for it must also move more than 10^13 bytes or
/// do more than 10^13 operations a second.
double times_the_possible(const RowResult& r, const SpaceInfo& space);

/// Judges the rows of a run and takes their samples, one after the other.
class RowRunner {
 public:
  /// Both must outlive it. What a row is held against is read when it runs.
  RowRunner(const RunOptions& options, const Machine& machine)
      : options_(options), machine_(machine) {}

  /// To be called before the first row: what cold rows and joules need.
  void prepare();
  void measure_idle_power();

  /// `cold`: with empty caches before each sample. Throws MachineError where memory runs out.
  RowResult run(const Case& c, const Row& row, bool cold);

  /// Where the state of each space is read from.
  [[nodiscard]] std::map<std::string, StateSources> state_sources() const;

 private:
  void judge_and_time(RowResult& r, const Row& row, bool team_size_chosen, Trial& last);
  void join(RowResult& r, const Work& work) const;

  const RunOptions& options_;
  const Machine& machine_;
  std::map<std::string, std::unique_ptr<MachineState>> states_;  ///< by space
  std::optional<EnergyRows> energy_;                             ///< none without --energy
  std::map<std::string, Flush> flushes_;  ///< by space; none unless rows are timed cold
};

}  // namespace parallax
