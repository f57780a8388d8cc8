// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// From what the user asked for to the list of cases.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "harness/device.hpp"
#include "harness/error.hpp"
#include "harness/files.hpp"
#include "harness/run.hpp"
#include "harness/table.hpp"
#include "suite.hpp"

namespace parallax {
namespace {

using Json = nlohmann::json;
using Assignments = std::vector<std::pair<std::string, std::string>>;

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

/// A size: one of the three, or one of them changed by a file.
struct Sizes {
  Size base = Size::course;
  std::map<std::string, std::vector<Assignments>> changes;  ///< by exercise: sets of parameters
};

std::optional<Size> named_size(const std::string& name) {
  if (name == "tiny") return Size::tiny;
  if (name == "course") return Size::course;
  if (name == "large") return Size::large;
  return std::nullopt;
}

Assignments assignments_of(const std::string& where, const Json& object) {
  if (!object.is_object())
    throw UsageError(where + ": expected an object of parameters, e.g. {\"n\": 1000}");
  Assignments result;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_string() && !value.is_number())
      throw UsageError(where + ": parameter '" + name + "' must be a number or a string");
    result.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return result;
}

/// The exercises of the whole suite, of which this program may have one only.
std::vector<std::string> every_exercise() {
  return {std::begin(suite::exercises), std::end(suite::exercises)};
}

/// {"base": "course", "mandelbrot": {"rows": 60}, "matmul": [{"n": 64}, {"n": 128}]}
Sizes read_sizes(const std::string& file) {
  const Json json = Json::parse(read_file(file), nullptr, false);
  if (json.is_discarded() || !json.is_object())
    throw UsageError("size file '" + file + "' is not a JSON object");
  // One file serves `parallax` and the programs of one exercise each.
  std::vector<std::string> known = every_exercise();
  known.emplace_back("base");
  for (const auto& e : exercises()) known.push_back(e.name);
  Sizes sizes;
  for (const auto& [name, value] : json.items()) {
    const std::string where = "size file '" + file + "': " + name;
    if (name == "base") {
      const auto base = named_size(value.is_string() ? value.get<std::string>() : "");
      if (!base) throw UsageError(where + ": expected tiny, course or large");
      sizes.base = *base;
      continue;
    }
    if (!contains(known, name))
      throw UsageError("size file '" + file + "': unknown exercise '" + name + "'" +
                       suggestion(name, known));
    if (value.is_array())
      for (const auto& set : value) sizes.changes[name].push_back(assignments_of(where, set));
    else
      sizes.changes[name].push_back(assignments_of(where, value));
  }
  return sizes;
}

Sizes sizes_of(const std::string& name) {
  if (const auto size = named_size(name)) return {*size, {}};
  if (name.find('.') == std::string::npos && name.find('/') == std::string::npos)
    throw UsageError("unknown size '" + name + "'" + suggestion(name, {"tiny", "course", "large"}) +
                     "; or the name of a .json file");
  return read_sizes(name);
}

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

void validate_sweeps(const RunOptions& options, const std::vector<Exercise const*>& chosen,
                     std::vector<std::string> known) {
  bool threaded = false;
  for (const auto* e : chosen)
    for (const auto& i : e->instances)
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
      require_known("parameter", {sweep.name}, known);
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

/// "threads" is the number of threads of the space, unless the exercise has a parameter of that
/// name.
bool sweeps_threads(const Sweep& sweep, const Exercise& e, const Instance& i) {
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

/// Every set of parameters with every value of every sweep that concerns this exercise and space.
std::vector<Assignments> swept(std::vector<Assignments> sets, const Exercise& e, const Instance& i,
                               const RunOptions& options) {
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

/// "/name:value" for each parameter in which the sets of one exercise differ.
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
      if (v.teams && (options.variants.empty() || contains(options.variants, v.name))) return;
  throw UsageError("team size: none of the variants chosen here has teams (list names those)");
}

void add_cases(std::vector<Case>& cases, const Exercise& e, const Instance& instance,
               const Sizes& sizes, const RunOptions& options) {
  const auto changes = sizes.changes.find(e.name);
  std::vector<Assignments> distinct;
  for (auto set : changes == sizes.changes.end() ? std::vector<Assignments>{{}} : changes->second) {
    // What --set decides tells no set from another.
    for (const auto& [name, value] : options.set)
      std::erase_if(set, [&, &n = name](const auto& a) { return a.first == n; });
    if (std::find(distinct.begin(), distinct.end(), set) == distinct.end()) distinct.push_back(set);
  }
  const auto sets = swept(distinct, e, instance, options);
  for (const auto& set : sets) {
    Parameters parameters(e.parameters, sizes.base, runs_on_host(instance.space), options.seed);
    parameters.set_team_size(options.team_size);
    try {
      for (const auto& [name, value] : set) {
        const bool threads = std::any_of(options.sweeps.begin(), options.sweeps.end(),
                                         [&, &n = name](const auto& s) {
                                           return s.name == n && sweeps_threads(s, e, instance);
                                         });
        if (threads)
          parameters.set_threads(static_cast<int>(parse_integer(value).value()));
        else if (name == "team_size")
          parameters.set_team_size(parse_team_size("--sweep team-size", value));
        else
          parameters.set(name, value);
      }
    } catch (const UsageError& error) {
      throw UsageError(
          (named_size(options.size) ? e.name : "size file '" + options.size + "': " + e.name) +
          ": " + error.what());
    }
    for (const auto& [name, value] : options.set)
      if (parameters.has(name)) parameters.set(name, value);
    if (e.resolve) e.resolve(parameters);
    if (e.validate) e.validate(parameters);
    cases.push_back({&e, &instance, parameters, chosen_variants(e, options), suffix_of(sets, set)});
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
      for (const auto& i : e->instances)
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
        c.exercise->memory(c.parameters, static_cast<double>(c.instance->scalar_bytes));
    for (const auto& variant : c.variants)
      rows.push_back({c.exercise->name + "/" + variant + "/" + c.instance->space + "/" +
                          c.instance->precision + c.suffix,
                      readable_bytes(runs_on_host(c.instance->space)
                                         ? memory.space
                                         : memory.space + memory.host + 2 * memory.staging),
                      parameters});
  }
  return aligned(rows);
}

}  // namespace parallax
