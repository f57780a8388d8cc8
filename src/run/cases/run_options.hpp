// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exercise/exercise.hpp"
#include "exercise/sweep.hpp"
#include "measure/time/timing.hpp"
#include "platform/base/numbers.hpp"

namespace parallax {

/// What `parallax run` was asked for. Empty lists mean "all", an empty list of precisions "each
/// exercise's own".
struct RunOptions {
  std::vector<std::string> exercises, variants, spaces, precisions;
  std::string size = "course";  ///< tiny, demo, course, large or a JSON file
  Assignments set;
  std::vector<Sweep> sweeps;  ///< each multiplies the cases
  std::int64_t seed = 12345;
  std::int64_t verify_repeat = 1;  ///< verified runs before the samples
  TimingOptions timing;
  bool verify_only = false, dry_run = false, quiet = false, verbose = false, all_rows = false,
       no_results = false;
  bool fom = false;             ///< a line for programs for each timed row, below the table
  bool no_ceilings = false;     ///< rows have no share of a ceiling
  bool fresh_ceilings = false;  ///< measure the caches' again, though they are kept
  bool cold = false;            ///< time each row with empty caches, too
  bool sampled = false;         ///< checks compare a sample of many elements
  bool diagnose = false;        ///< say why a row is wrong; sizes of 0 are allowed
  bool counters = false;        ///< Python runs this program again, under a profiler
  bool energy = false;          ///< count the energy of each timed row
  double energy_time = 3;       ///< seconds for which its runs are repeated for that
  bool tune = false;            ///< find the best tuning parameters and keep them (tune.hpp)
  bool tuned_for_this_machine = false;  ///< take those that were kept
  bool weak = false;                    ///< of several ranks, each does all of it, not a share
  bool share_devices = false;           ///< two ranks may use one device
  std::string transport = "auto";       ///< how ranks send a device's memory
  double rank_timeout = 300;            ///< seconds that a rank waits for others at most
  std::string json, csv, image;
  std::string command_line, executable;
};

/// An exercise in one space with one precision and one set of parameters: several rows.
struct Case {
  const Exercise* exercise = nullptr;
  const Specialization* specialization = nullptr;
  Parameters parameters;
  std::vector<std::string> variants;
  std::string suffix;  ///< "/max_iterations:1000" where a run holds several sets of parameters
  bool tuned_for_this_machine = false;  ///< with tuning parameters that --tune kept
};

}  // namespace parallax
