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
  /// Both must outlive it. It reads spaces, ceilings and links from `results` when it runs a row,
  /// and enters there where a space's state is read from.
  RowRunner(const RunOptions& options, Results& results) : options_(options), results_(results) {}

  /// To be called before the first row: what cold rows and joules need.
  void prepare();
  void measure_idle_power();

  /// `cold`: with empty caches before each sample. Throws MachineError where memory runs out.
  RowResult run(const Case& c, const Row& row, bool cold);

 private:
  void judge_and_time(RowResult& r, const Row& row, bool team_size_chosen, Trial& last);
  void join(RowResult& r, const Work& work) const;

  const RunOptions& options_;
  Results& results_;
  std::map<std::string, std::unique_ptr<MachineState>> machines_;  ///< by space
  std::optional<EnergyRows> energy_;                               ///< none without --energy
  std::map<std::string, Flush> flushes_;  ///< by space; none unless rows are timed cold
};

}  // namespace parallax
