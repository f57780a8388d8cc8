// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "program/generate.hpp"
#include "program/report.hpp"
#include "run/cases/run_options.hpp"
#include "run/results/compare.hpp"

namespace parallax {

/// Everything the user typed, before it is judged. Numbers stay text, so that one parser words
/// every refusal.
struct Typed {
  RunOptions run;
  std::string seed, repeat, verify_repeat, verify, warmup, min_time, max_time, energy_time, scaling,
      transport, rank_timeout;
  std::vector<std::string> set, sweep;
  using Parameters = std::map<std::string, std::string>;
  Parameters parameters;           ///< --bins 120 and the like
  Parameters generate_parameters;  ///< the same, of `generate`
  bool list_as_json = false;
  CompareOptions compare;
  std::string fail_above, threshold, runs;
  ReportOptions report;
  PortabilityOptions portability;
  GenerateOptions generate;
};

/// "max_iterations" as an option: "max-iterations".
std::string with_hyphens(std::string name);

/// `typed`: all arguments. Where they name exercises, --help shows the parameters of those only.
void add_run_options(CLI::App& app, Typed& t, const std::vector<std::string>& typed);
void add_compare_options(CLI::App& app, Typed& t);
void add_report_options(CLI::App& app, Typed& t);
void add_portability_options(CLI::App& app, Typed& t);
/// `generate events FILE.h5`: parameters by --set and by options of their own, as those of `run`.
void add_generate_options(CLI::App& app, Typed& t);

/// Judge the numbers and gather the parameters: throw UsageError.
RunOptions run_options(const Typed& t, const CLI::App& command);
CompareOptions compare_options(const Typed& t, const CLI::App& command);
GenerateOptions generate_options(const Typed& t, const CLI::App& command);

}  // namespace parallax
