// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "program/options.hpp"

#include <algorithm>

#include "platform/base/error.hpp"
#include "platform/base/numbers.hpp"
#include "platform/ranks/ranks.hpp"
#include "platform/ranks/routes.hpp"

namespace parallax {
namespace {

std::int64_t whole_number(const std::string& flag, const std::string& text, std::int64_t least) {
  const auto value = parse_integer(text);
  if (!value || *value < least)
    throw UsageError(flag + ": '" + text + "' is not a whole number from " + std::to_string(least));
  return *value;
}

double seconds(const std::string& flag, const std::string& text) {
  const auto value = parse_real(text);
  if (!value || *value < 0) throw UsageError(flag + ": '" + text + "' is not a number of seconds");
  return *value;
}

bool is_sampled(const std::string& text) {
  const std::vector<std::string> known{"full", "sampled"};
  if (!contains(known, text))
    throw UsageError("--verify: '" + text + "' is no way to verify" + suggestion(text, known));
  return text == known[1];
}

bool is_weak(const std::string& text) {
  const std::vector<std::string> known{"strong", "weak"};
  if (!contains(known, text))
    throw UsageError("--scaling: '" + text + "' is neither strong nor weak" +
                     suggestion(text, known));
  return text == known[1];
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
  app.add_option("--size", t.run.size, "tiny, course, large or FILE.json (default: course)");
  app.add_option("--set", t.set, "parameters: n=1000,bins=120")->type_name("NAME=VALUE,...");
  app.add_option("--sweep", t.sweep,
                 "a parameter over several values, or threads, or team-size; may be repeated")
      ->type_name("NAME=FIRST:LAST:xFACTOR|FIRST:LAST:+STEP|A,B,C")
      ->allow_extra_args(false);
  app.add_option("--team-size", t.parameters["team_size"],
                 "threads of a team, in variants with teams (default: auto, each one's own)")
      ->type_name("N|auto");
  app.add_flag("--tune", t.run.tune,
               "find the best team size or tile of each variant on this machine, and keep it");
  app.add_flag("--tuned-for-this-machine", t.run.tuned_for_this_machine, "take what --tune kept");
  app.add_option("--scaling", t.scaling,
                 "of several ranks: strong, they share the work; weak, each does all of it "
                 "(default: strong)")
      ->type_name("strong|weak");
  app.add_option("--transport", t.transport,
                 "how several ranks send a device's memory: gpu_aware, nccl or staged (default: "
                 "auto, the first of these that works)")
      ->type_name("auto|gpu_aware|nccl|staged");
  app.add_flag("--share-devices", t.run.share_devices, "let several ranks use one device");
  app.add_option("--rank-timeout", t.rank_timeout,
                 "seconds after which a rank gives up waiting for others (default: 300)");
  app.add_option("--seed", t.seed, "of all random inputs (default: 12345)");
  app.add_option("--repeat", t.repeat, "samples at least (default: 10)");
  app.add_option("--warmup", t.warmup,
                 "runs dropped before the samples (default: 1; 0 after a verified run of 0.1 s)");
  app.add_option("--min-time", t.min_time,
                 "seconds of samples at least (default: 0.2, at size tiny 0.02)");
  app.add_option("--max-time", t.max_time,
                 "seconds after which 3 samples do, unless --repeat is given (default: 0.3)");
  app.add_option("--verify-repeat", t.verify_repeat,
                 "verified runs of each row, for results that are wrong now and then (default: 1)");
  app.add_option("--verify", t.verify,
                 "full or sampled: which elements of large results are compared (default: full)")
      ->type_name("full|sampled");
  app.add_flag("--verify-only", t.run.verify_only, "check the results, measure nothing");
  app.add_flag("--no-ceilings", t.run.no_ceilings, "measure no ceilings: saves some seconds");
  app.add_flag("--fresh-ceilings", t.run.fresh_ceilings,
               "measure the ceilings of the caches again, which are kept otherwise");
  app.add_flag("--cold", t.run.cold, "time each row with empty caches, too");
  app.add_flag("--energy", t.run.energy,
               "count the joules of each row: repeats its runs for some seconds more");
  app.add_option("--energy-time", t.energy_time,
                 "seconds for which --energy repeats each row, from 1 (default: 3)");
  app.add_flag("--diagnose", t.run.diagnose,
               "say in the JSON file why a check failed; a size file may have sizes of 0");
  app.add_flag("--dry-run", t.run.dry_run, "say what would be run, and run nothing");
  app.add_option("--json", t.run.json, "write the results to FILE")->type_name("FILE");
  app.add_option("--csv", t.run.csv, "write one line per row to FILE")->type_name("FILE");
  app.add_option("--image", t.run.image, "draw the result")->type_name("FILE.png");
  app.add_flag("--quiet", t.run.quiet, "no progress and no summary, only the table");
  app.add_flag("--no-results", t.run.no_results, "do not print what was computed");
  app.add_flag("--fom", t.run.fom, "a line for each time below the table, to be read by programs");
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

RunOptions run_options(const Typed& t, const CLI::App& command) {
  RunOptions o = t.run;
  const auto given = [&](const char* flag) { return command.count(flag) > 0; };
  if (given("--seed")) o.seed = whole_number("--seed", t.seed, 0);
  if (given("--scaling")) o.weak = is_weak(t.scaling);
  if (given("--transport")) transport::set_wanted(t.transport);
  if (given("--rank-timeout")) ranks::set_patience(seconds("--rank-timeout", t.rank_timeout));
  if (given("--repeat")) {
    o.timing.repeat = whole_number("--repeat", t.repeat, 1);
    o.timing.repeat_given = true;
  }
  if (given("--verify-repeat"))
    o.verify_repeat = whole_number("--verify-repeat", t.verify_repeat, 1);
  if (given("--verify")) o.sampled = is_sampled(t.verify);
  if (given("--warmup")) {
    o.timing.warmup = whole_number("--warmup", t.warmup, 0);
    o.timing.warmup_given = true;
  }
  if (o.tune) {  // many values, and all times are needed for their intervals
    if (!o.timing.repeat_given) o.timing.repeat = 5;
    o.timing.repeat_given = true;
    o.timing.min_time = 0.05;
  }
  // The smallest size is there to try everything quickly: its times are no measurements.
  if (o.size == "tiny") o.timing.min_time = 0.02;
  if (given("--min-time")) o.timing.min_time = seconds("--min-time", t.min_time);
  if (given("--max-time")) o.timing.max_time = seconds("--max-time", t.max_time);
  if (o.fresh_ceilings && o.no_ceilings)
    throw UsageError("--fresh-ceilings: --no-ceilings says to measure none");
  if (o.cold && o.verify_only) throw UsageError("--cold: --verify-only says to time nothing");
  for (const auto& [flag, contradicts] :
       {std::pair("--verify-only", o.verify_only), {"--dry-run", o.dry_run}, {"--tune", o.tune}})
    if (o.fom && contradicts)
      throw UsageError(std::string("--fom: with ") + flag + " there are no rows with times");
  if (given("--energy-time")) o.energy_time = seconds("--energy-time", t.energy_time);
  if (o.energy_time < 1)
    throw UsageError("--energy-time: '" + t.energy_time +
                     "' is less than 1 second, in which the counters move too seldom");
  if (given("--energy-time") && !o.energy)
    throw UsageError("--energy-time: needs --energy, which counts the energy");
  if (o.energy && o.verify_only)
    throw UsageError("--energy: --verify-only says to run nothing more");
  if (o.energy && o.tune) throw UsageError("--energy: --tune compares times alone");
  for (const auto& text : t.sweep) o.sweeps.push_back(parse_sweep(text));
  o.set = assignments(t, t.parameters, command);
  for (const auto* file : {"--json", "--csv", "--image"})
    if (given(file) && command.get_option(file)->as<std::string>().empty())
      throw UsageError(std::string(file) + ": an output file needs a name, got ''");
  return o;
}

CompareOptions compare_options(const Typed& t, const CLI::App& command) {
  CompareOptions o = t.compare;
  if (o.across.empty() && o.files.size() < 2)
    throw UsageError("compare needs two files, or --across for the cases of one");
  if (command.count("--across") > 0 &&
      std::find(name_parts.begin(), name_parts.end(), o.across) == name_parts.end())
    throw UsageError("--across: '" + o.across + "' is none of " + joined(name_parts));
  if (command.count("--threshold") > 0) {
    const auto threshold = parse_real(t.threshold);
    if (!threshold || !(*threshold >= 0 && *threshold < 1))
      throw UsageError("--threshold: '" + t.threshold +
                       "' is not a share of the time below 1, such as 0.02");
    o.threshold = *threshold;
  }
  if (command.count("--runs") > 0) {
    const auto runs = parse_integer(t.runs);
    if (!runs || *runs < 1) throw UsageError("--runs: '" + t.runs + "' is not a number from 1");
    o.runs = static_cast<std::size_t>(*runs);
    const auto least = o.across.empty() ? 2 * o.runs : o.runs;
    if (o.files.size() % o.runs != 0 || o.files.size() < least)
      throw UsageError("--runs " + t.runs + ": takes that many files of each program, got " +
                       std::to_string(o.files.size()) + " files");
  }
  if (command.count("--fail-above") == 0) return o;
  o.fail_above = parse_real(t.fail_above);
  if (!o.fail_above || *o.fail_above < 1)
    throw UsageError("--fail-above: '" + t.fail_above + "' is not a ratio from 1, such as 1.05");
  return o;
}

void add_compare_options(CLI::App& app, Typed& t) {
  app.add_option("files", t.compare.files, "A.json B.json ...")->required()->expected(1, 1000);
  app.add_option("--across", t.compare.across,
                 "compare the cases that differ in their variant, space, precision or ranks alone")
      ->type_name("PART");
  app.add_option("--fail-above", t.fail_above,
                 "status 1 where a case is slower, and its ratio above this")
      ->type_name("RATIO");
  app.add_option("--threshold", t.threshold,
                 "what does not count as a difference, as a share of the time (0.02)")
      ->type_name("SHARE");
  app.add_option("--runs", t.runs,
                 "the first N files are runs of one program, the next N of another...")
      ->type_name("N");
  app.add_option("--series", t.compare.series,
                 "instead of the table, a chart of the times from commit to commit")
      ->type_name("OUT.svg")
      ->excludes("--across", "--fail-above", "--threshold", "--runs");
}

void add_report_options(CLI::App& app, Typed& t) {
  app.add_option("files", t.report.files, "results files")->required()->expected(1, 1000);
  app.add_option("-o,--output", t.report.output, "the page to write")
      ->required()
      ->type_name("OUT.html");
  app.add_option("--title", t.report.title, "of the page")->type_name("TEXT");
  app.add_option("--image", t.report.images, "a picture to show; may be repeated")
      ->type_name("FILE.png")
      ->allow_extra_args(false);
  app.add_option("--image-dir", t.report.image_folders, "every PNG in a folder")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  app.add_option("--charts", t.report.charts, "write each chart as an SVG file, too")
      ->type_name("FOLDER");
  app.add_option("--bars", t.report.bars,
                 "instead of the page, one picture (SVG): an exercise on all accelerators")
      ->type_name("EXERCISE");
  app.add_option("--kernel-timer", t.report.kernel_timers,
                 "output of Kokkos Tools' simple kernel timer; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

void add_portability_options(CLI::App& app, Typed& t) {
  PortabilityOptions& o = t.portability;
  app.add_option("files", o.files, "A.json B.json ...")->required()->expected(1, 1000);
  app.add_option("-o,--output", o.output, "the cascade plot of the suite")->type_name("OUT.svg");
  app.add_option("--p3", o.p3, "problem, platform, application, fom: for the P3 Analysis Library")
      ->type_name("FILE.csv");
  app.add_option("--json", o.json, "all of it, for programs")->type_name("FILE");
  app.add_option("--exercise", o.exercise, "only these")->type_name("A,B");
  app.add_option("--precision", o.precision, "only these")->type_name("A,B");
}

void add_generate_options(CLI::App& app, Typed& t) {
  app.require_subcommand(1);
  auto* const events = app.add_subcommand("events", "synthetic collision events, as HDF5");
  events->add_option("file", t.generate.output, "the file to write")
      ->required()
      ->type_name("FILE.h5");
  events->add_option("--set", t.set, "parameters: n=1e6,mean=1.5")->type_name("NAME=VALUE,...");
  events->add_option("--seed", t.seed, "of the random numbers (default: 12345)");
  events->add_flag("--force", t.generate.force, "replace a file that is there");
  for (const auto& p : event_parameters())
    events->add_option("--" + with_hyphens(p.name), t.generate_parameters[p.name], p.help)
        ->group("Parameters (also by --set)")
        ->type_name("VALUE");
}

GenerateOptions generate_options(const Typed& t, const CLI::App& command) {
  GenerateOptions o = t.generate;
  if (command.count("--seed") > 0) o.seed = whole_number("--seed", t.seed, 0);
  o.set = assignments(t, t.generate_parameters, command);
  return o;
}

}  // namespace parallax
