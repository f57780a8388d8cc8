// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/cases/cases.hpp"

#include <algorithm>
#include <cstdio>

#include "platform/base/error.hpp"
#include "platform/base/units.hpp"
#include "platform/device/space_info.hpp"
#include "run/cases/sizes.hpp"

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

bool is_wanted(const std::string& space, const RunOptions& options) {
  return options.spaces.empty() || contains(options.spaces, "all") ||
         contains(options.spaces, space);
}

/// Refuses a parameter that concerns no space chosen here, such as `threads` in serial.
void require_concerned(const std::string& name, const std::vector<Exercise const*>& chosen,
                       const RunOptions& options) {
  for (const auto* e : chosen)
    for (const auto& p : e->parameters)
      for (const auto& i : e->specializations)
        if (p.name == name && is_wanted(i.space, options) && p.concerns(i.space)) return;
  throw UsageError("parameter '" + name + "' concerns none of the spaces chosen here");
}

bool sweeps_teams(const RunOptions& options) {
  return std::any_of(options.sweeps.begin(), options.sweeps.end(),
                     [](const Sweep& sweep) { return sweep.name == "team_size"; });
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

/// A team size needs variants with teams. Says which variants that were named a sweep leaves out.
void require_teams(const RunOptions& options, const std::vector<Exercise const*>& chosen) {
  const bool set = std::any_of(options.set.begin(), options.set.end(), [](const auto& a) {
    return a.first == "team_size" && a.second != "auto";
  });
  if (!set && !sweeps_teams(options)) return;
  bool any = false;
  std::vector<std::string> left_out = options.variants;
  for (const auto* e : chosen)
    for (const auto& v : e->variants)
      if (v.teams && contains(chosen_variants(*e, options), v.name)) {
        any = true;
        std::erase(left_out, v.name);
      }
  if (!any)
    throw UsageError("team size: none of the variants chosen here has teams (list names those)");
  if (sweeps_teams(options) && !left_out.empty() && !options.quiet)
    std::fprintf(stderr, "parallax: the sweep over team sizes leaves out what has no teams: %s\n",
                 one_line(joined(left_out)).c_str());
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
  for (const auto& space : options.spaces)
    if (space != "all" && !contains(space_names(), space))
      throw UsageError("space '" + space + "' is not built into this program (built in: " +
                       joined(space_names()) + ")");
  require_teams(options, chosen);
  std::vector<std::string> set, swept;
  for (const auto& [name, value] : options.set) set.push_back(name);
  for (const auto& [name, list, range] : options.sweeps) {
    if (contains(set, name)) throw UsageError("'" + name + "' is both set and swept");
    if (contains(swept, name)) throw UsageError("'" + name + "' is swept twice");
    swept.push_back(name);
  }
  for (const auto* names : {&set, &swept}) {
    require_known("parameter", *names, parameters);
    for (const auto& name : *names) require_concerned(name, chosen, options);
  }
}

/// What was asked of one exercise, read and judged.
struct Asked {
  std::vector<Values> sets;  ///< of a size file; else one that changes nothing
  std::vector<Series> sweeps;
  Values set;  ///< comes after the others
};

Asked asked_of(const Exercise& e, const Sizes& sizes, const RunOptions& options) {
  Asked asked;
  const auto is_set = [&](const std::string& name) {
    return std::any_of(asked.set.begin(), asked.set.end(),
                       [&](const auto& a) { return a.first == name; });
  };
  for (const auto& p : e.parameters)
    for (const auto& [name, text] : options.set)
      if (p.name == name) asked.set.emplace_back(name, judged(p, text));
  try {
    for (const auto& sweep : options.sweeps)
      for (const auto& p : e.parameters)
        if (p.name == sweep.name) asked.sweeps.push_back(series_of(sweep, p));
    const auto changes = sizes.changes.find(e.name);
    const std::vector<Assignments> none{{}};
    for (const auto& texts : changes == sizes.changes.end() ? none : changes->second) {
      Values set;
      for (const auto& [name, text] : texts) {
        const auto& p = find_parameter(e.parameters, name);
        // What --set decides tells no set from another.
        if (!is_set(name))
          set.emplace_back(name, options.diagnose && text == "0" ? read(p, text) : judged(p, text));
      }
      if (std::find(asked.sets.begin(), asked.sets.end(), set) == asked.sets.end())
        asked.sets.push_back(set);
    }
  } catch (const UsageError& error) {
    throw UsageError(
        (named_size(options.size) ? e.name : "size file '" + options.size + "': " + e.name) + ": " +
        error.what());
  }
  return asked;
}

/// "/name:value" for each parameter in which the sets of one exercise differ.
std::string suffix_of(const std::vector<Values>& sets, const Values& set, const Exercise& e) {
  std::string suffix;
  for (const auto& assignment : set) {
    const auto& [name, value] = assignment;
    if (!std::all_of(sets.begin(), sets.end(), [&](const Values& other) {
          return std::find(other.begin(), other.end(), assignment) != other.end();
        }))
      suffix += "/" + name + ":" + one_line(text_of(find_parameter(e.parameters, name), value));
  }
  return suffix;
}

void add_cases(std::vector<Case>& cases, const Exercise& e, const Specialization& specialization,
               const Asked& asked, Size base, const RunOptions& options) {
  const auto concerns = [&](const std::string& name) {
    return find_parameter(e.parameters, name).concerns(specialization.space);
  };
  constexpr std::size_t most = 10'000;
  std::vector<Values> sets;
  for (auto set : asked.sets) {
    std::erase_if(set, [&](const auto& a) { return !concerns(a.first); });
    if (std::find(sets.begin(), sets.end(), set) == sets.end()) sets.push_back(set);
  }
  for (const auto& series : asked.sweeps) {
    if (!concerns(series.name)) continue;
    if (sets.size() * series.values.size() > most)
      throw UsageError("--sweep: more than " + std::to_string(most) + " cases of " + e.name);
    sets = multiplied(sets, series);
  }
  for (const auto& set : sets) {
    Parameters parameters(e.parameters, base, runs_on_host(specialization.space), options.seed);
    for (const auto* values : {&set, &asked.set})
      for (const auto& [name, value] : *values)
        if (concerns(name)) parameters.give(name, value);
    if (e.resolve) e.resolve(parameters);
    if (e.validate) e.validate(parameters);
    cases.push_back(
        {&e, &specialization, parameters, chosen_variants(e, options), suffix_of(sets, set, e)});
  }
}

}  // namespace

std::vector<Case> select_cases(const RunOptions& options) {
  const auto chosen = chosen_exercises(options);
  validate_names(options, chosen);
  const auto sizes = sizes_of(options.size);
  std::vector<Case> cases;
  for (const auto* e : chosen) {
    if (chosen_variants(*e, options).empty()) continue;
    const auto asked = asked_of(*e, sizes, options);
    for (const auto& precision : precisions(*e)) {
      const bool wanted = options.precisions.empty() ? precision == precisions(*e).front()
                                                     : contains(options.precisions, "all") ||
                                                           contains(options.precisions, precision);
      if (!wanted) continue;
      for (const auto& i : e->specializations)
        if (i.precision == precision && is_wanted(i.space, options))
          add_cases(cases, *e, i, asked, sizes.base, options);
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
    for (const auto& p : c.exercise->parameters) {
      const auto text = c.parameters.text(p.name);
      const bool threads = p.role == Parameter::Role::threads && c.parameters.given(p.name);
      if (!text.empty() && (p.role == Parameter::Role::own || threads))
        parameters += (parameters.empty() ? "" : " ") + p.name + "=" + one_line(text);
    }
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
