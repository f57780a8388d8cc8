// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "program/generate.hpp"
#include "run/cases/run_options.hpp"

namespace parallax {

/// What the user typed.
struct Typed {
  RunOptions run;
  std::string verify, scaling;
  std::vector<std::string> set, sweep;
  using Parameters = std::map<std::string, std::string>;
  Parameters parameters;           ///< --bins 120 and the like
  Parameters generate_parameters;  ///< the same, of `generate`
  bool list_as_json = false, list_all = false, ranks = false;
  GenerateOptions generate;
};

/// "max_iterations" as an option: "max-iterations".
std::string with_hyphens(std::string name);

/// `typed`: all arguments. Where they name exercises, --help shows the parameters of those only.
void add_run_options(CLI::App& app, Typed& t, const std::vector<std::string>& typed);
/// `generate events FILE.h5`: parameters by --set and by separate options, as in `run`.
void add_generate_options(CLI::App& app, Typed& t);

/// An option given as '', whatever this CLI11 does about it: a variable of a script is not set.
/// Throws UsageError.
void refuse_empty(const CLI::App& command);
/// Gather the parameters and judge what CLI11 has not: throw UsageError.
RunOptions run_options(const Typed& t, const CLI::App& command);
GenerateOptions generate_options(const Typed& t, const CLI::App& command);

}  // namespace parallax
