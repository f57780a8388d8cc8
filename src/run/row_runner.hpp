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
