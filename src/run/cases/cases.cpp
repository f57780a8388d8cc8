// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/cases/cases.hpp"

#include <algorithm>

#include "platform/base/error.hpp"
#include "platform/base/units.hpp"
#include "platform/device/space_info.hpp"
#include "run/cases/sizes.hpp"
#include "run/cases/sweep_cases.hpp"

namespace parallax {
namespace {

std::vector<const Exercise*> chosen_exercises(const RunOptions& options) {
  std::vector<const Exercise*> chosen;
  const bool all = options.exercises.empty() || contains(options.exercises, "all");
  for (const auto& name : options.exercises)
    if (name != "all") find_exercise(name);  // throws where unknown, even beside "all"
  for (const auto& e : exercises())
    if (all || contains(options.exercises, e.name)) chosen.push_back(&e);
  return chosen;
}

/// Every name asked for must be known to at least one chosen exercise.
void require_known(const std::string& what, const std::vector<std::string>& asked,
                   const std::vector<std::string>& known) {
  for (const auto& name : asked)
    if (!contains(known, name))
      throw UsageError("unknown " + what + " '" + name + "'" + suggestion(name, known));
}

void validate_names(const RunOptions& options, const std::vector<Exercise const*>& chosen) {
  std::vector<std::string> variants, parameters, kinds;
  for (const auto* e : chosen) {
    for (const auto& v : e->variants) variants.push_back(v.name);
    for (const auto& p : e->parameters) parameters.push_back(p.name);
    for (const auto& p : precisions(*e)) kinds.push_back(p);
  }
  for (auto* names : {&variants, &parameters, &kinds}) {
    std::sort(names->begin(), names->end());
    names->erase(std::unique(names->begin(), names->end()), names->end());
  }
  require_known("variant", options.variants, variants);
  auto asked = options.precisions;
  std::erase(asked, "all");
  require_known("precision", asked, kinds);
  for (const auto& [name, value] : options.set) require_known("parameter", {name}, parameters);
  validate_sweeps(options, chosen, parameters);
  for (const auto& space : options.spaces)
    if (space != "all" && !contains(space_names(), space))
      throw UsageError("space '" + space + "' is not built into this program (built in: " +
                       joined(space_names()) + ")");
}

/// A sweep of team sizes leaves out what has no teams: it would be the same row again and again.
std::vector<std::string> chosen_variants(const Exercise& e, const RunOptions& options) {
  std::vector<std::string> names;
  for (const auto& v : e.variants)
    if ((options.variants.empty() || contains(options.variants, v.name)) &&
        (v.teams || !sweeps_teams(options)))
      names.push_back(v.name);
  return names;
}

void require_teams(const RunOptions& options, const std::vector<Exercise const*>& chosen) {
  if (options.team_size == 0 && !sweeps_teams(options)) return;
  for (const auto* e : chosen)
    for (const auto& v : e->variants)
      if (v.teams && contains(chosen_variants(*e, options), v.name)) return;
  throw UsageError("team size: none of the variants chosen here has teams (list names those)");
}

void add_cases(std::vector<Case>& cases, const Exercise& e, const Specialization& specialization,
               const Sizes& sizes, const RunOptions& options) {
  const auto changes = sizes.changes.find(e.name);
  std::vector<Assignments> distinct;
  for (auto set : changes == sizes.changes.end() ? std::vector<Assignments>{{}} : changes->second) {
    // What --set decides tells no set from another.
    for (const auto& [name, value] : options.set)
      std::erase_if(set, [&, &n = name](const auto& a) { return a.first == n; });
    if (std::find(distinct.begin(), distinct.end(), set) == distinct.end()) distinct.push_back(set);
  }
  const auto sets = swept(distinct, e, specialization, options);
  for (const auto& set : sets) {
    Parameters parameters(e.parameters, sizes.base, runs_on_host(specialization.space),
                          options.seed);
    parameters.set_team_size(options.team_size);
    try {
      for (const auto& assignment : set) assign(parameters, assignment, e, specialization, options);
    } catch (const UsageError& error) {
      throw UsageError(
          (named_size(options.size) ? e.name : "size file '" + options.size + "': " + e.name) +
          ": " + error.what());
    }
    for (const auto& [name, value] : options.set)
      if (parameters.has(name)) parameters.set(name, value);
    if (e.resolve) e.resolve(parameters);
    if (e.validate) e.validate(parameters);
    cases.push_back(
        {&e, &specialization, parameters, chosen_variants(e, options), suffix_of(sets, set)});
  }
}

}  // namespace

std::vector<Case> select_cases(const RunOptions& options) {
  const auto chosen = chosen_exercises(options);
  validate_names(options, chosen);
  require_teams(options, chosen);
  const auto sizes = sizes_of(options.size);
  const bool every_space = options.spaces.empty() || contains(options.spaces, "all");
  std::vector<Case> cases;
  for (const auto* e : chosen) {
    if (chosen_variants(*e, options).empty()) continue;
    for (const auto& precision : precisions(*e)) {
      const bool wanted = options.precisions.empty() ? precision == precisions(*e).front()
                                                     : contains(options.precisions, "all") ||
                                                           contains(options.precisions, precision);
      if (!wanted) continue;
      for (const auto& i : e->specializations)
        if (i.precision == precision && (every_space || contains(options.spaces, i.space)))
          add_cases(cases, *e, i, sizes, options);
    }
  }
  if (cases.empty()) throw UsageError("nothing to run: no exercise has all that was asked for");
  if (!options.image.empty() && (chosen.size() != 1 || !chosen.front()->draws)) {
    std::string drawing;
    for (const auto& e : exercises())
      if (e.draws) drawing += (drawing.empty() ? "" : ", ") + e.name;
    throw UsageError("--image takes one exercise that draws (these do: " + drawing + ")");
  }
  return cases;
}

std::string dry_run(const std::vector<Case>& cases) {
  std::vector<std::vector<std::string>> rows{{"case", "memory", "parameters"}};
  for (const auto& c : cases) {
    std::string parameters;
    for (const auto& p : c.exercise->parameters)
      if (!c.parameters.text(p.name).empty())
        parameters +=
            (parameters.empty() ? "" : " ") + p.name + "=" + one_line(c.parameters.text(p.name));
    const auto memory =
        c.exercise->memory(c.parameters, static_cast<double>(c.specialization->scalar_bytes));
    for (const auto& variant : c.variants)
      rows.push_back({c.exercise->name + "/" + variant + "/" + c.specialization->space + "/" +
                          c.specialization->precision + c.suffix,
                      readable_bytes(runs_on_host(c.specialization->space)
                                         ? memory.space
                                         : memory.space + memory.host + 2 * memory.staging),
                      parameters});
  }
  return aligned(rows);
}

}  // namespace parallax
