// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/cases/tuned_cases.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "measure/ceilings/machine_cache.hpp"
#include "platform/base/error.hpp"

namespace parallax {
namespace {

using Json = nlohmann::json;
const char* const kind = "tuned";

std::vector<Series> tuning_parameters(const Case& c) {
  std::vector<Series> all;
  for (const auto& v : c.exercise->variants) {
    if (v.name != c.variants.front()) continue;
    all = v.tunes;
    if (!v.teams) continue;
    all.push_back({"team_size", {}});
    for (std::int64_t size = 1; size <= 4096; size *= 2) all.back().values.emplace_back(size);
  }
  return all;
}

Case of_variant(Case c, const std::string& variant) {
  c.variants = {variant};
  return c;
}

/// The fields by which a choice is found again: it holds for a problem of these parameters.
Json identity(const Case& c) {
  Json problem = Json::object();
  for (const auto& [name, value] : c.parameters.values())
    if (name != "seed") std::visit([&, &n = name](const auto& v) { problem[n] = v; }, value);
  return {{"exercise", c.exercise->name},
          {"variant", c.variants.front()},
          {"precision", c.specialization->precision},
          {"parameters", problem}};
}

/// A choice's fields, without what was chosen.
Json identity(Json choice) {
  for (const char* field : {"values", "time_ns", "own_time_ns", "joules", "own_joules"})
    choice.erase(field);
  return choice;
}

/// All choices of a space; an empty list where there is no file.
Json choices_of(const SpaceInfo& space) {
  const auto file = read_cache(kind, space);
  if (file.is_null()) return Json::array();
  const auto choices = file.value("choices", Json());
  const auto sound = [](const Json& choice) {
    const auto values = choice.is_object() ? choice.value("values", Json()) : Json();
    return values.is_object() && std::all_of(values.begin(), values.end(),
                                             [](const Json& value) { return value.is_string(); });
  };
  if (!choices.is_array() || !std::all_of(choices.begin(), choices.end(), sound))
    throw MachineError("'" + cache_file(kind, space) + "' is damaged");
  return choices;
}

}  // namespace

void validate_tuning(const std::vector<Case>& cases, const RunOptions& o) {
  if (!o.tune && !o.tuned_for_this_machine) return;
  const std::string flag = o.tune ? "--tune" : "--tuned-for-this-machine";
  const auto refuse_beside = [&](const std::string& other, bool given) {
    if (given) throw UsageError(flag + " and " + other + " exclude each other");
  };
  refuse_beside("--tuned-for-this-machine", o.tune && o.tuned_for_this_machine);
  refuse_beside("--dry-run", o.dry_run);
  for (const auto& sweep : o.sweeps)
    refuse_beside("--sweep " + sweep.name, sweep.name == "team_size" || sweep.name == "threads");
  refuse_beside("--verify-only", o.tune && o.verify_only);
  refuse_beside("--diagnose", o.tune && o.diagnose);
  refuse_beside("--json", o.tune && !o.json.empty());
  refuse_beside("--csv", o.tune && !o.csv.empty());
  refuse_beside("--image", o.tune && !o.image.empty());
  bool any = false;
  for (const auto& c : cases)
    for (const auto& variant : c.variants)
      for (const auto& tuned : tuning_parameters(of_variant(c, variant))) {
        any = true;
        const auto& p = c.parameters.specification(tuned.name);
        refuse_beside(p.role == Parameter::Role::team_size ? "--team-size" : "--set " + p.name,
                      c.parameters.given(p.name) && c.parameters.text(p.name) != p.automatic);
      }
  if (!any) throw UsageError(flag + ": none of the variants chosen here has tuning parameters");
}

Case with_values(Case c, const Values& values) {
  for (const auto& [name, value] : values) {
    require(c.parameters.specification(name), value);
    c.parameters.give(name, value);
    c.suffix += "/" + name + ":" + c.parameters.text(name);
  }
  if (c.exercise->validate) c.exercise->validate(c.parameters);
  if (c.specialization->refuse) c.specialization->refuse(c.parameters);
  return c;
}

std::vector<Values> values_to_try(const Case& c) {
  std::vector<Values> sets{{}}, all{{}};
  for (const auto& series : tuning_parameters(c)) all = multiplied(all, series);
  for (const auto& values : all) {
    const bool own = std::all_of(values.begin(), values.end(), [&](const auto& value) {
      return c.parameters.value(value.first) == value.second;
    });
    try {
      with_values(c, values);
      if (!own) sets.push_back(values);
    } catch (const UsageError&) {  // NOLINT(bugprone-empty-catch): not to be had here
    }
  }
  // Where teams have one thread at most, that is each variant's own size.
  const bool choice = sets.size() > 2 || sets.back() != Values{{"team_size", std::int64_t{1}}};
  return sets.size() > 1 && choice ? sets : std::vector<Values>{};
}

void keep(const Choice& choice) {
  const auto space = describe_space(choice.of.specialization->space);
  Json next = identity(choice.of), all = Json::array();
  try {
    for (const auto& old : choices_of(space))
      if (identity(old) != next) all.push_back(old);
  } catch (const MachineError& error) {
    std::fprintf(stderr, "parallax: %s: replaced\n", one_line(error.what()).c_str());
  }
  next["values"] = Json::object();
  for (const auto& [name, value] : choice.values)
    next["values"][name] = text_of(choice.of.parameters.specification(name), value);
  next[choice.energy ? "joules" : "time_ns"] = choice.took;
  next[choice.energy ? "own_joules" : "own_time_ns"] = choice.own_took;
  all.push_back(next);
  write_cache(kind, space, {{"choices", all}});
}

std::optional<Values> kept(const Case& c) {
  for (const auto& choice : choices_of(describe_space(c.specialization->space))) {
    if (identity(choice) != identity(c)) continue;
    Values values;
    const auto tuned = tuning_parameters(c);
    for (const auto& [name, text] : choice["values"].items()) {
      if (std::none_of(tuned.begin(), tuned.end(),
                       [&n = name](const auto& t) { return t.name == n; }))
        throw UsageError("'" + name + "' is no tuning parameter of " + c.variants.front());
      values.emplace_back(name, judged(c.parameters.specification(name), text.get<std::string>()));
    }
    return values;
  }
  return std::nullopt;
}

std::vector<Case> tuned_cases(const std::vector<Case>& cases, const RunOptions& options) {
  std::vector<Case> result;
  std::vector<std::string> untuned;
  bool any = false;
  for (const auto& c : cases) {
    Case others = c;  // which run as they are
    for (const auto& variant : c.variants) {
      const Case one = of_variant(c, variant);
      try {
        const auto values = kept(one);
        if (!values) {
          if (!values_to_try(one).empty()) untuned.push_back(c.exercise->name + "/" + variant);
          continue;
        }
        result.push_back(with_values(one, *values));
      } catch (const UsageError& error) {
        throw MachineError("'" + cache_file(kind, describe_space(c.specialization->space)) +
                           "' does not fit this program, run --tune again: " + error.what());
      }
      any = true;
      std::erase(others.variants, variant);
      result.back().suffix = c.suffix;
      result.back().tuned_for_this_machine = true;
    }
    if (!others.variants.empty()) result.push_back(others);
  }
  const auto file = cache_file(kind, describe_space(cases.front().specialization->space));
  if (!any)
    throw MachineError("nothing that was chosen is tuned for this machine ('" + file +
                       "'): run --tune with the same sizes first");
  if (!untuned.empty() && !options.quiet)
    std::fprintf(stderr, "parallax: not tuned for this machine, so with values of their own: %s\n",
                 one_line(joined(untuned)).c_str());
  return result;
}

}  // namespace parallax
