// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/generator.hpp"
#include "harness/run.hpp"

namespace parallax {

/// Everything the user typed, before it is judged. Numbers stay text, so that one parser words
/// every refusal.
struct Typed {
  RunOptions run;
  std::string seed, team_size, repeat, verify_repeat, verify, warmup, min_time, max_time,
      energy_time, scaling, transport, rank_timeout;
  std::vector<std::string> set, sweep;
  using Parameters = std::map<std::string, std::string>;
  Parameters parameters;           ///< --bins 120 and the like
  Parameters generate_parameters;  ///< the same, of `generate`
  bool list_as_json = false;
  GenerateOptions generate;
};

/// "max_iterations" as an option: "max-iterations".
std::string with_hyphens(std::string name);

/// `typed`: all arguments. Where they name exercises, --help shows the parameters of those only.
void add_run_options(CLI::App& app, Typed& t, const std::vector<std::string>& typed);
/// `generate events FILE.h5`: parameters by --set and by options of their own, as those of `run`.
void add_generate_options(CLI::App& app, Typed& t);

/// Judge the numbers and gather the parameters: throw UsageError.
RunOptions run_options(const Typed& t, const CLI::App& command);
GenerateOptions generate_options(const Typed& t, const CLI::App& command);

}  // namespace parallax
