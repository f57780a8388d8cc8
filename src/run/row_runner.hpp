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

/// How many times as fast as can be a row was: above 1 it has skipped its work. No core moves a
/// terabyte, does 10^12 operations or makes 10^12 items a second, even in its nearest cache. (A
/// host's ceilings are no measure of that: another process may have slowed them down.) A GPU's
/// caches are less than a hundred times as fast as its memory, and it makes less than 10^15 items a
/// second. Of its ceilings those that other work spoilt prove nothing, whether they are known to be
/// unsure or not: it may well move 10^13 bytes or do 10^13 operations a second.
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
