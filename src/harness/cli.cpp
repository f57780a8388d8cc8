// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>

#include "build_info.hpp"
#include "harness/binding.hpp"
#include "harness/compare.hpp"
#include "harness/device.hpp"
#include "harness/error.hpp"
#include "harness/files.hpp"
#include "harness/generator.hpp"
#include "harness/interrupt.hpp"
#include "harness/kokkos_settings.hpp"
#include "harness/report.hpp"
#include "harness/run.hpp"
#include "harness/runtime.hpp"

namespace parallax {
namespace {

/// Everything the user typed, before it is judged. Numbers stay text, so that one parser words
/// every refusal.
struct Typed {
  RunOptions run;
  std::string seed, team_size, repeat, warmup, min_time, max_time;
  std::vector<std::string> set, sweep;
  using Parameters = std::map<std::string, std::string>;
  Parameters parameters;           ///< --bins 120 and the like
  Parameters generate_parameters;  ///< the same, of `generate`
  bool list_as_json = false;
  CompareOptions compare;
  std::string fail_above;
  ReportOptions report;
  GenerateOptions generate;
};

std::string with_hyphens(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// `typed`: all arguments. Where they name exercises, --help shows the parameters of those only.
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
                 "a parameter over several values, or the threads of openmp; may be repeated")
      ->type_name("NAME=FIRST:LAST:xFACTOR|FIRST:LAST:+STEP|A,B,C")
      ->allow_extra_args(false);
  app.add_option("--team-size", t.team_size,
                 "threads of a team, in variants with teams (default: auto, each one's own)")
      ->type_name("N|auto");
  app.add_option("--seed", t.seed, "of all random inputs (default: 12345)");
  app.add_option("--repeat", t.repeat, "samples at least (default: 10)");
  app.add_option("--warmup", t.warmup, "runs dropped before the samples (default: 1)");
  app.add_option("--min-time", t.min_time,
                 "seconds of samples at least (default: 0.2, at size tiny 0.02)");
  app.add_option("--max-time", t.max_time,
                 "seconds after which 3 samples do, unless --repeat is given (default: 0.5)");
  app.add_flag("--verify-only", t.run.verify_only, "check the results, measure nothing");
  app.add_flag("--dry-run", t.run.dry_run, "say what would be run, and run nothing");
  app.add_option("--json", t.run.json, "write the results to FILE")->type_name("FILE");
  app.add_option("--csv", t.run.csv, "write one line per row to FILE")->type_name("FILE");
  app.add_option("--image", t.run.image, "draw the result")->type_name("FILE.png");
  app.add_flag("--quiet", t.run.quiet, "no progress and no summary, only the table");
  app.add_flag("--no-results", t.run.no_results, "do not print what was computed");
  app.add_flag("--all-rows", t.run.all_rows, "list what is not available here, and why");
  // Of each parameter: the exercises that have it, and what it is there.
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> users;
  for (const auto& e : all)
    for (const auto& p : e.parameters) {
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

/// What --set and the parameters' own options say, in this order.
std::vector<std::pair<std::string, std::string>> assignments(const Typed& t,
                                                             const Typed::Parameters& parameters,
                                                             const CLI::App& command) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& text : t.set)
    for (const auto& assignment : parse_assignments(text)) all.push_back(assignment);
  for (auto& [name, value] : all) std::replace(name.begin(), name.end(), '-', '_');
  for (const auto& [name, value] : parameters)
    if (command.count("--" + with_hyphens(name)) > 0) all.emplace_back(name, value);
  return all;
}

/// Judges the numbers and gathers the parameters.
RunOptions run_options(const Typed& t, const CLI::App& command) {
  RunOptions o = t.run;
  const auto given = [&](const char* flag) { return command.count(flag) > 0; };
  if (given("--seed")) o.seed = whole_number("--seed", t.seed, 0);
  if (given("--team-size")) o.team_size = parse_team_size("--team-size", t.team_size);
  if (given("--repeat")) {
    o.timing.repeat = whole_number("--repeat", t.repeat, 1);
    o.timing.repeat_given = true;
  }
  if (given("--warmup")) o.timing.warmup = whole_number("--warmup", t.warmup, 0);
  // The smallest size is there to try everything quickly: its times are no measurements.
  if (o.size == "tiny") o.timing.min_time = 0.02;
  if (given("--min-time")) o.timing.min_time = seconds("--min-time", t.min_time);
  if (given("--max-time")) o.timing.max_time = seconds("--max-time", t.max_time);
  for (const auto& text : t.sweep) o.sweeps.push_back(parse_sweep(text));
  o.set = assignments(t, t.parameters, command);
  for (const auto* file : {"--json", "--csv", "--image"})
    if (given(file) && command.get_option(file)->as<std::string>().empty())
      throw UsageError(std::string(file) + ": an output file needs a name, got ''");
  return o;
}

CompareOptions compare_options(const Typed& t, const CLI::App& command) {
  CompareOptions o = t.compare;
  if (command.count("--fail-above") == 0) return o;
  o.fail_above = parse_real(t.fail_above);
  if (!o.fail_above || *o.fail_above < 1)
    throw UsageError("--fail-above: '" + t.fail_above + "' is not a ratio from 1, such as 1.05");
  return o;
}

void add_compare_options(CLI::App& app, Typed& t) {
  app.add_option("files", t.compare.files, "A.json B.json ...")->required()->expected(2, 1000);
  app.add_option("--fail-above", t.fail_above,
                 "status 1 where a slowdown above this ratio exceeds the noise")
      ->type_name("RATIO");
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
  app.add_option("--kernel-timer", t.report.kernel_timers,
                 "output of Kokkos Tools' simple kernel timer; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

/// `generate events FILE.h5`: parameters by --set and by options of their own, as those of `run`.
void add_generate_options(CLI::App& app, Typed& t) {
  app.require_subcommand(1);
  for (const auto& generator : generators()) {
    auto* const command = app.add_subcommand(generator.name, generator.summary);
    command->add_option("file", t.generate.output, "the file to write")
        ->required()
        ->type_name(generator.file);
    command->add_option("--set", t.set, "parameters: n=1e6,mean=1.5")->type_name("NAME=VALUE,...");
    command->add_option("--seed", t.seed, "of the random numbers (default: 12345)");
    command->add_flag("--force", t.generate.force, "replace a file that is there");
    for (const auto& p : generator.parameters)
      command->add_option("--" + with_hyphens(p.name), t.generate_parameters[p.name], p.help)
          ->group("Parameters (also by --set)")
          ->type_name("VALUE");
  }
}

/// Kokkos's own flags, set apart from ours, and all arguments as they came.
struct KokkosFlags {
  std::vector<std::string> flags;
  char** arguments = nullptr;
};

/// Judges what Kokkos will read when it starts; then it cannot but start. With `bind` the program
/// may start itself anew here (binding.hpp): before it has read any file.
void prepare_kokkos(KokkosFlags& kokkos, bool bind) {
  const auto spaces = space_names();
  const bool openmp = std::find(spaces.begin(), spaces.end(), "openmp") != spaces.end();
  const KokkosSettings settings{kokkos.flags, std::getenv, openmp, available_processors()};
  const int threads = check_kokkos_settings(settings);
  require_tools(settings);
  if (openmp && bind)
    bind_threads(threads, kokkos.arguments);
  else
    leave_threads();
  auto& flags = kokkos.flags;
  if (threads == most_threads)  // there may be more processors than that
    flags.push_back("--kokkos-num-threads=" + std::to_string(threads));
  // On hosts Kokkos warns in several lines of what our footer says in one.
  if (std::all_of(spaces.begin(), spaces.end(), runs_on_host) &&
      std::getenv("KOKKOS_DISABLE_WARNINGS") == nullptr)
    flags.insert(flags.begin(), "--kokkos-disable-warnings");
}

/// Initialises Kokkos for the life of the object.
class KokkosScope {
 public:
  explicit KokkosScope(KokkosFlags& kokkos) {
    require_device();
    std::vector<char*> pointers{kokkos.arguments[0]};
    for (auto& flag : kokkos.flags) pointers.push_back(flag.data());
    int argc = static_cast<int>(pointers.size());
    pointers.push_back(nullptr);
    try {
      runtime::initialize(argc, pointers.data());
    } catch (const std::exception& error) {
      const std::string why = error.what();
      throw MachineError("Kokkos could not start: " + why.substr(0, why.find('\n')));
    }
  }
  ~KokkosScope() { runtime::finalize(); }
  KokkosScope(const KokkosScope&) = delete;
  KokkosScope& operator=(const KokkosScope&) = delete;
};

/// No output may replace an input, or another output.
void require_distinct_files(const RunOptions& options, const std::vector<Case>& cases) {
  std::vector<NamedFile> inputs;
  if (options.size.find_first_of("./") != std::string::npos)  // else it is one of the three
    inputs.push_back({"--size", options.size});
  for (const auto& c : cases)
    for (const auto& p : c.exercise->parameters)
      if (p.kind == Parameter::Kind::path)
        inputs.push_back({"--" + with_hyphens(p.name), c.parameters.text(p.name)});
  require_distinct(inputs,
                   {{"--json", options.json}, {"--csv", options.csv}, {"--image", options.image}});
}

bool asks_for_openmp(const RunOptions& options) {
  const auto& spaces = options.spaces;
  return spaces.empty() || std::any_of(spaces.begin(), spaces.end(), [](const std::string& space) {
           return space == "openmp" || space == "all";
         });
}

int run(const RunOptions& options, KokkosFlags& flags) {
  prepare_kokkos(flags, asks_for_openmp(options) && !options.dry_run);
  const auto cases = select_cases(options);
  require_distinct_files(options, cases);
  if (options.dry_run) {
    std::fputs(dry_run(cases).c_str(), stdout);
    return static_cast<int>(Status::verified);
  }
  watch_signals();
  const KokkosScope kokkos(flags);
  return run_cases(cases, options);
}

int generate(const Typed& t, const CLI::App& app, KokkosFlags& flags) {
  const auto& command = *app.get_subcommands().front();
  const auto& generator =
      *std::find_if(generators().begin(), generators().end(),
                    [&](const Generator& g) { return g.name == command.get_name(); });
  GenerateOptions o = t.generate;
  if (command.count("--seed") > 0) o.seed = whole_number("--seed", t.seed, 0);
  o.set = assignments(t, t.generate_parameters, command);
  prepare_kokkos(flags, false);
  Parameters parameters(generator.parameters, Size::course, false, o.seed);
  for (const auto& [name, value] : o.set) parameters.set(name, value);
  generator.require(o, parameters);
  watch_signals();
  const KokkosScope kokkos(flags);
  return generator.write(o, parameters);
}

std::vector<std::string> long_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// One line about what CLI11 did not understand, with the near match.
std::string complaint(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error) {
  std::string what = error.what();
  what = what.substr(0, what.find('\n'));
  std::vector<std::string> commands;
  for (const auto* sub : command.get_subcommands({})) commands.push_back(sub->get_name());
  const bool no_command =
      dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !commands.empty();
  const auto left = app.remaining(true);
  if (no_command && left.empty())
    return "a command is required: " + joined(commands) + " (--help says more)";
  if (no_command)
    return "unknown command '" + left.front() + "'" + suggestion(left.front(), commands);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return what;
  auto extras = command.remaining();
  if (extras.empty()) extras = app.remaining(true);
  if (extras.empty()) return what;
  const std::string word = extras.front().substr(0, extras.front().find('='));
  if (word.rfind('-', 0) == 0)
    return "unknown option '" + word + "'" + suggestion(word, long_options(command));
  if (commands.empty())
    return "unexpected argument '" + word + "': '" + command.get_name() + "' takes " +
           (command.get_options([](const auto* o) { return o->get_positional(); }).empty()
                ? "none"
                : "fewer");
  return "unknown command '" + word + "'" + suggestion(word, commands);
}

int parse_and_run(std::vector<std::string> arguments, KokkosFlags& flags,
                  const std::string& executable, const std::string& command_line_text) {
  // A program that links one exercise is that exercise's; `parallax` stays itself, however few it
  // holds.
  const bool single = exercises().size() == 1 &&
                      std::filesystem::path(executable).filename() == exercises().front().name;
  Typed t;
  t.run.executable = executable;
  t.run.command_line = command_line_text;
  const std::string name = single ? exercises().front().name : "parallax";
  CLI::App app(single ? exercises().front().summary
                      : "Parallax: one exercise, one source, every architecture",
               name);
  app.set_version_flag(
      "--version", std::string("parallax ") + build_info::version + " (" + build_info::git + ")");
  app.footer(
      "Kokkos's own flags pass through (--kokkos-help). Exit status: 0 verified, 1 a check "
      "failed, 2 bad usage, 3 the machine could not.");
  CLI::App* command = &app;
  if (single) {
    t.run.exercises = {name};
    add_run_options(app, t, {});
  } else {
    app.require_subcommand(1);
    auto* const list = app.add_subcommand("list", "exercises, variants, spaces, default sizes");
    list->add_flag("--json", t.list_as_json, "for programs");
    app.add_subcommand("info", "Kokkos configuration, devices, measured ceilings");
    auto* const run_command = app.add_subcommand("run", "run, verify and time exercises");
    run_command->add_option("exercises", t.run.exercises, "names, or all (default: all)");
    add_run_options(*run_command, t, arguments);
    add_compare_options(*app.add_subcommand("compare", "ratios between results files"), t);
    add_report_options(*app.add_subcommand("report", "one page of results to look at"), t);
    add_generate_options(*app.add_subcommand("generate", "write input files"), t);
  }
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      std::ostringstream text;
      app.exit(error, text);
      std::fputs(text.str().c_str(), stdout);
      return static_cast<int>(Status::verified);
    }
    while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
    throw UsageError(complaint(app, *command, error));
  }
  if (single || app.got_subcommand("run"))
    return run(run_options(t, single ? app : *app.get_subcommand("run")), flags);
  if (app.got_subcommand("list")) {
    std::fputs((t.list_as_json ? list_json() : list_text()).c_str(), stdout);
  } else if (app.got_subcommand("info")) {
    prepare_kokkos(flags, true);
    const KokkosScope kokkos(flags);
    std::fputs(info_text().c_str(), stdout);
  } else if (app.got_subcommand("compare")) {
    return compare_files(compare_options(t, *app.get_subcommand("compare")));
  } else if (app.got_subcommand("report")) {
    make_report(t.report);
  } else if (app.got_subcommand("generate")) {
    return generate(t, *app.get_subcommand("generate"), flags);
  }
  return static_cast<int>(Status::verified);
}

}  // namespace

int command_line(int argc, char** argv) {
  std::vector<std::string> ours;
  KokkosFlags flags;
  flags.arguments = argv;
  std::string text = argc > 0 ? argv[0] : "parallax";
  const std::string executable = text;
  for (int k = 1; k < argc; ++k) {
    const std::string argument = argv[k];
    text += " " + argument;
    (argument.rfind("--kokkos-", 0) == 0 ? flags.flags : ours).push_back(argument);
  }
  const auto fail = [](const std::string& why, Status status) {
    std::fflush(stdout);
    std::fprintf(stderr, "parallax: %s\n", one_line(why).c_str());
    return static_cast<int>(status);
  };
  int status = 0;
  try {
    status = parse_and_run(ours, flags, executable, text);
  } catch (const UsageError& error) {
    status = fail(error.what(), Status::bad_usage);
  } catch (const MachineError& error) {
    status = fail(error.what(), Status::machine_could_not);
  } catch (const std::bad_alloc&) {
    status = fail("the machine ran out of memory", Status::machine_could_not);
  } catch (const std::exception& error) {
    status = fail(error.what(), Status::machine_could_not);
  }
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    const std::string why = errno != 0 ? std::string(": ") + std::strerror(errno) : "";
    const int lost = fail("cannot write standard output" + why, Status::machine_could_not);
    if (status == static_cast<int>(Status::verified)) status = lost;
  }
  return status;
}

}  // namespace parallax
