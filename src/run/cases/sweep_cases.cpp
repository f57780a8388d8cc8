// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/cases/sweep_cases.hpp"

#include <algorithm>
#include <cmath>

#include "platform/base/error.hpp"
#include "platform/base/numbers.hpp"
#include "platform/device/space_info.hpp"

namespace parallax {
namespace {

/// "threads" is the number of threads of the space, unless the exercise has a parameter of that
/// name.
bool sweeps_threads(const Sweep& sweep, const Exercise& e, const Specialization& i) {
  const auto named = [&](const Parameter& p) { return p.name == sweep.name; };
  return sweep.name == "threads" && takes_a_number_of_threads(i.space) &&
         std::none_of(e.parameters.begin(), e.parameters.end(), named);
}

/// The value as this parameter writes it: steps of a whole number are rounded.
std::string swept_value(const Parameter& p, const std::string& text) {
  const auto x = parse_real(text);
  const bool round = p.kind == Parameter::Kind::integer && x && std::abs(*x) < 9e15;
  return round ? std::to_string(std::llround(*x)) : text;
}

}  // namespace

void validate_sweeps(const RunOptions& options, const std::vector<Exercise const*>& chosen,
                     std::vector<std::string> known) {
  bool threaded = false;
  for (const auto* e : chosen)
    for (const auto& i : e->specializations)
      threaded = threaded || (takes_a_number_of_threads(i.space) &&
                              (options.spaces.empty() || contains(options.spaces, "all") ||
                               contains(options.spaces, i.space)));
  for (std::size_t k = 0; k < options.sweeps.size(); ++k) {
    const auto& sweep = options.sweeps[k];
    for (const auto& [name, value] : options.set)
      if (name == sweep.name) throw UsageError("'" + name + "' is both set and swept");
    for (std::size_t j = 0; j < k; ++j)
      if (options.sweeps[j].name == sweep.name)
        throw UsageError("'" + sweep.name + "' is swept twice");
    if (contains(known, sweep.name)) continue;
    if (sweep.name == "team_size") {
      if (options.team_size > 0) throw UsageError("the team size is both set and swept");
      for (const auto& text : sweep.values) parse_team_size("--sweep team-size", text);
      continue;
    }
    if (sweep.name != "threads") {
      known.insert(known.end(), {"threads", "team_size"});
      if (!contains(known, sweep.name))
        throw UsageError("unknown parameter '" + sweep.name + "'" + suggestion(sweep.name, known));
    }
    if (!threaded)
      throw UsageError(
          "--sweep threads: no space chosen here takes a number of threads (openmp does)");
    for (const auto& text : sweep.values) {
      const auto threads = parse_integer(text);
      if (!threads || *threads < 1 || *threads > 1'000'000)
        throw UsageError("--sweep threads: '" + text + "' is not a number of threads");
    }
  }
}

std::vector<Assignments> swept(std::vector<Assignments> sets, const Exercise& e,
                               const Specialization& i, const RunOptions& options) {
  constexpr std::size_t most = 10'000;
  for (const auto& sweep : options.sweeps) {
    const auto parameter = std::find_if(e.parameters.begin(), e.parameters.end(),
                                        [&](const Parameter& p) { return p.name == sweep.name; });
    if (parameter == e.parameters.end() && !sweeps_threads(sweep, e, i) &&
        sweep.name != "team_size")
      continue;
    if (sets.size() * sweep.values.size() > most)
      throw UsageError("--sweep: more than " + std::to_string(most) + " cases of " + e.name);
    std::vector<Assignments> multiplied;
    for (const auto& set : sets)
      for (const auto& text : sweep.values) {
        Assignments next = set;
        std::erase_if(next, [&](const auto& a) { return a.first == sweep.name; });
        next.emplace_back(sweep.name,
                          parameter == e.parameters.end() ? text : swept_value(*parameter, text));
        if (std::find(multiplied.begin(), multiplied.end(), next) == multiplied.end())
          multiplied.push_back(next);
      }
    sets = multiplied;
  }
  return sets;
}

std::string suffix_of(const std::vector<Assignments>& sets, const Assignments& set) {
  if (sets.size() < 2) return "";
  std::string suffix;
  for (const auto& [name, value] : set) {
    const bool same =
        std::all_of(sets.begin(), sets.end(), [&, &n = name, &v = value](auto& other) {
          return std::find(other.begin(), other.end(), std::pair{n, v}) != other.end();
        });
    if (!same) suffix += "/" + name + ":" + one_line(value);
  }
  return suffix;
}

bool sweeps_teams(const RunOptions& options) {
  return std::any_of(options.sweeps.begin(), options.sweeps.end(),
                     [](const Sweep& sweep) { return sweep.name == "team_size"; });
}

void assign(Parameters& parameters, const std::pair<std::string, std::string>& assignment,
            const Exercise& e, const Specialization& i, const RunOptions& options) {
  const auto& [name, value] = assignment;
  const bool threads =
      std::any_of(options.sweeps.begin(), options.sweeps.end(),
                  [&, &n = name](const auto& s) { return s.name == n && sweeps_threads(s, e, i); });
  if (threads)
    parameters.set_threads(static_cast<int>(parse_integer(value).value()));
  else if (name == "team_size")
    parameters.set_team_size(parse_team_size("--sweep team-size", value));
  else if (options.diagnose && value == "0")
    parameters.set_unchecked(name, value);
  else
    parameters.set(name, value);
}

}  // namespace parallax
