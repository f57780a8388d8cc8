// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "program/options.hpp"

#include <algorithm>

#include "platform/base/error.hpp"
#include "platform/base/numbers.hpp"

namespace parallax {
namespace {

/// Refuses what is not `right` in our words, with the near match among `known`.
CLI::Validator expect(const std::string& what, const std::function<bool(std::string&)>& right,
                      const std::vector<std::string>& known = {}) {
  return {[=](std::string& text) {
            return right(text) ? "" : "'" + text + "' is not " + what + suggestion(text, known);
          },
          ""};
}

/// As people write it: CLI11 knows neither 1e3 nor 1_000.
CLI::Validator whole_number(std::int64_t least) {
  return expect("a whole number from " + std::to_string(least), [=](std::string& text) {
    const auto value = parse_integer(text);
    const bool right = value && *value >= least;
    if (right) text = std::to_string(*value);
    return right;
  });
}

CLI::Validator seconds(double least) {
  return expect("a number of seconds from " + shortest(least),
                [=](const std::string& text) { return parse_real(text).value_or(-1) >= least; });
}

/// CLI11's IsMember suggests no near match.
CLI::Validator one_of(const std::vector<std::string>& known) {
  const auto right = [=](const std::string& text) { return contains(known, text); };
  return expect("one of its values", right, known);
}

/// What --set and the parameters' own options say, in this order.
Assignments assignments(const Typed& t, const Typed::Parameters& parameters,
                        const CLI::App& command) {
  Assignments all;
  for (const auto& text : t.set)
    for (const auto& assignment : parse_assignments(text)) all.push_back(assignment);
  for (auto& [name, value] : all) std::replace(name.begin(), name.end(), '-', '_');
  for (const auto& [name, value] : parameters)
    if (command.count("--" + with_hyphens(name)) > 0) all.emplace_back(name, value);
  return all;
}

}  // namespace

std::string with_hyphens(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

void add_run_options(CLI::App& app, Typed& t, const std::vector<std::string>& typed) {
  const auto is_named = [&](const Exercise& e) {
    return std::find(typed.begin(), typed.end(), e.name) != typed.end();
  };
  const auto& all = exercises();
  const auto named = std::count_if(all.begin(), all.end(), is_named);
  const bool several = named > 1 || (named == 0 && all.size() > 1);
  const auto list = [&](const std::string& flag, std::vector<std::string>& to,
                        const std::string& help) {
    app.add_option(flag, to, help)->delimiter(',')->type_name("A,B,...");
  };
  list("--variant", t.run.variants, "ways to write it (default: all)");
  list("--space", t.run.spaces, "serial, openmp, cuda, hip or all (default: all built in)");
  list("--precision", t.run.precisions, "f32, f64, ... or all (default: each exercise's own)");
  app.add_option("--size", t.run.size, "tiny, demo, course, large or FILE.json (default: course)");
  app.add_option("--set", t.set, "parameters: n=1000,bins=120")->type_name("NAME=VALUE,...");
  app.add_option("--sweep", t.sweep,
                 "a parameter over several values, or threads, or team-size; may be repeated")
      ->type_name("NAME=FIRST:LAST:xFACTOR|FIRST:LAST:+STEP|A,B,C")
      ->allow_extra_args(false);
  app.add_option("--team-size", t.parameters["team_size"],
                 "threads of a team, in variants with teams (default: auto, each one's own)")
      ->type_name("N|auto");
  app.add_flag("--tune", t.run.tune,
               "find the best team size or tile of each variant on this machine, and keep it; with "
               "--energy, that of the fewest joules");
  app.add_flag("--tuned-for-this-machine", t.run.tuned_for_this_machine, "take what --tune kept");
  app.add_option("--scaling", t.scaling,
                 "of several ranks: strong, they share the work; weak, each does all of it "
                 "(default: strong)")
      ->type_name("strong|weak")
      ->check(one_of({"strong", "weak"}));
  app.add_option("--transport", t.run.transport,
                 "how several ranks send a device's memory: gpu_aware, nccl or staged (default: "
                 "auto, the quicker of the last two by size)")
      ->type_name("auto|gpu_aware|nccl|staged")
      ->check(one_of({"auto", "gpu_aware", "nccl", "staged"}));
  app.add_flag("--share-devices", t.run.share_devices, "let several ranks use one device");
  app.add_option("--rank-timeout", t.run.rank_timeout,
                 "seconds after which a rank that waits for others ends the run (default: 300)")
      ->check(seconds(1));
  app.add_option("--seed", t.run.seed, "of all random inputs (default: 12345)")
      ->transform(whole_number(0));
  app.add_option("--repeat", t.run.timing.repeat, "samples at least (default: 10)")
      ->transform(whole_number(1));
  app.add_option("--warmup", t.run.timing.warmup,
                 "runs dropped before the samples (default: 1; 0 after a verified run of 0.1 s)")
      ->transform(whole_number(0));
  app.add_option("--min-time", t.run.timing.min_time,
                 "seconds of samples at least (default: 0.2, at sizes tiny and demo 0.02)")
      ->check(seconds(0));
  app.add_option("--max-time", t.run.timing.max_time,
                 "seconds after which 3 samples do, unless --repeat is given (default: 0.3)")
      ->check(seconds(0));
  app.add_option("--verify-repeat", t.run.verify_repeat,
                 "verified runs of each row, for results that are wrong now and then (default: 1)")
      ->transform(whole_number(1));
  app.add_option("--verify", t.verify,
                 "full or sampled: which elements of large results are compared (default: full)")
      ->type_name("full|sampled")
      ->check(one_of({"full", "sampled"}));
  app.add_flag("--verify-only", t.run.verify_only, "check the results, measure nothing");
  app.add_flag("--no-ceilings", t.run.no_ceilings, "measure no ceilings: saves some seconds");
  app.add_flag("--fresh-ceilings", t.run.fresh_ceilings,
               "measure the ceilings of the caches again, which are kept otherwise")
      ->excludes("--no-ceilings");
  app.add_flag("--cold", t.run.cold, "time each row with empty caches, too")
      ->excludes("--verify-only");
  app.add_flag("--energy", t.run.energy,
               "count the joules of each row: repeats its runs for some seconds more")
      ->excludes("--verify-only");
  app.add_option("--energy-time", t.run.energy_time,
                 "seconds for which --energy repeats each row, from 1 (default: 3, with --tune 1)")
      ->check(seconds(1))
      ->needs("--energy");
  app.add_flag("--counters", t.run.counters,
               "count each row's memory traffic, stalls and the like, once more under a profiler")
      ->excludes("--sweep", "--scaling", "--tune", "--verify-only");
  app.add_flag("--diagnose", t.run.diagnose,
               "say in the JSON file why a check failed; a size file may have sizes of 0");
  app.add_flag("--dry-run", t.run.dry_run, "say what would be run, and run nothing")
      ->excludes("--counters");
  app.add_option("--json", t.run.json, "write the results to FILE")->type_name("FILE");
  app.add_option("--csv", t.run.csv, "write one line per row to FILE")->type_name("FILE");
  app.add_option("--image", t.run.image, "draw the result")->type_name("FILE.png");
  app.add_flag("--quiet", t.run.quiet, "no progress and no summary, only the table");
  app.add_flag("--verbose", t.run.verbose,
               "tiers, spreads, why rows are doubtful, threads, and every ceiling");
  app.add_flag("--no-results", t.run.no_results, "do not print what was computed");
  app.add_flag("--fom", t.run.fom, "a line for each time below the table, to be read by programs")
      ->excludes("--verify-only", "--dry-run", "--tune");
  app.add_flag("--all-rows", t.run.all_rows, "list what is not available here, and why");
  // Of each parameter: the exercises that have it, and what it is there.
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> users;
  for (const auto& e : all)
    for (const auto& p : e.parameters) {
      if (p.role != Parameter::Role::own) continue;
      auto& of = users[p.name];
      if (named == 0 || is_named(e)) of.emplace_back(e.name, p.help);
    }
  for (const auto& [name, of] : users) {
    std::vector<std::string> names;
    for (const auto& user : of) names.push_back(user.first);
    std::string help = of.size() == 1 ? of[0].second : joined(names);
    if (of.size() == 1 && several) help += " (" + names[0] + ")";
    app.add_option("--" + with_hyphens(name), t.parameters[name], help)
        ->group(of.empty() ? "" : "Parameters (also by --set)")
        ->type_name("VALUE");
  }
}

void refuse_empty(const CLI::App& command) {
  for (const auto* option : command.get_options())
    if (contains(option->results(), ""))
      throw UsageError(option->get_name() + ": got '', which is no value: is a variable not set?");
  for (const auto* inner : command.get_subcommands()) refuse_empty(*inner);
}

RunOptions run_options(const Typed& t, const CLI::App& command) {
  RunOptions o = t.run;
  const auto given = [&](const char* flag) { return command.count(flag) > 0; };
  o.weak = t.scaling == "weak";
  o.sampled = t.verify == "sampled";
  o.timing.repeat_given = given("--repeat") || o.tune;
  o.timing.warmup_given = given("--warmup");
  // Many values, and all times are needed for their intervals.
  if (o.tune && !given("--repeat")) o.timing.repeat = 5;
  // These two sizes are there to try everything quickly.
  const bool quick = o.size == "tiny" || o.size == "demo";
  if (o.tune && !given("--energy-time")) o.energy_time = 1;
  if (!given("--min-time") && (o.tune || quick)) o.timing.min_time = quick ? 0.02 : 0.05;
  for (const auto& text : t.sweep) o.sweeps.push_back(parse_sweep(text));
  o.set = assignments(t, t.parameters, command);
  return o;
}

void add_generate_options(CLI::App& app, Typed& t) {
  app.require_subcommand(1);
  auto* const events = app.add_subcommand("events", "synthetic collision events, as HDF5");
  events->add_option("file", t.generate.output, "the file to write")
      ->required()
      ->type_name("FILE.h5");
  events->add_option("--set", t.set, "parameters: n=1e6,mean=1.5")->type_name("NAME=VALUE,...");
  events->add_option("--seed", t.generate.seed, "of the random numbers (default: 12345)")
      ->transform(whole_number(0));
  events->add_flag("--force", t.generate.force, "replace a file that is there");
  for (const auto& p : event_parameters())
    events->add_option("--" + with_hyphens(p.name), t.generate_parameters[p.name], p.help)
        ->group("Parameters (also by --set)")
        ->type_name("VALUE");
}

GenerateOptions generate_options(const Typed& t, const CLI::App& command) {
  GenerateOptions o = t.generate;
  o.set = assignments(t, t.generate_parameters, command);
  return o;
}

}  // namespace parallax
