// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "program/command_line.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "build_info.hpp"
#include "platform/base/error.hpp"
#include "platform/base/files.hpp"
#include "platform/base/interrupt.hpp"
#include "platform/device/space_info.hpp"
#include "platform/device/start.hpp"
#include "platform/ranks/ranks.hpp"
#include "platform/ranks/routes.hpp"
#include "program/list.hpp"
#include "program/options.hpp"
#include "program/python.hpp"
#include "run/cases/cases.hpp"
#include "run/cases/tuned_cases.hpp"
#include "run/run.hpp"
#include "run/tune.hpp"

namespace parallax {
namespace {

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

/// What does not work with several ranks, or says nothing there.
void require_one_rank(const RunOptions& options) {
  for (const auto& [flag, given] : {std::pair("--tune", options.tune),
                                    {"--tuned-for-this-machine", options.tuned_for_this_machine},
                                    {"--energy", options.energy},
                                    {"--counters", options.counters},
                                    {"--diagnose", options.diagnose},
                                    {"--image", !options.image.empty()}})
    if (given)
      throw UsageError(std::string(flag) + ": works with one rank only; this run has " +
                       std::to_string(ranks::size()));
}

/// Without the cases of exercises that run on one rank: refuses those that were named.
std::vector<Case> divisible(const std::vector<Case>& cases, const RunOptions& options) {
  std::vector<Case> left;
  for (const auto& c : cases) {
    if (c.exercise->divide) {
      left.push_back(c);
    } else if (contains(options.exercises, c.exercise->name)) {
      std::vector<std::string> others;
      for (const auto& e : exercises())
        if (e.divide) others.push_back(e.name);
      throw UsageError(c.exercise->name + " runs on one rank only; this run has " +
                       std::to_string(ranks::size()) +
                       " (on several: " + (others.empty() ? "none" : joined(others)) + ")");
    }
  }
  if (left.empty()) throw UsageError("nothing to run: no exercise here runs on several ranks");
  return left;
}

int run(RunOptions options, KokkosFlags& flags) {
  if (ranks::several()) {
    ranks::communicator().patience = options.rank_timeout;
    require_one_rank(options);
    if (ranks::rank() > 0) {
      options.json.clear();
      options.csv.clear();
      options.quiet = true;
    }
  }
  // What a kernel printed is seen though it stops the program.
  if (options.diagnose) std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  prepare_kokkos(flags, asks_for_openmp(options) && !options.dry_run);
  auto cases = select_cases(options);
  if (ranks::several()) cases = divisible(cases, options);
  validate_tuning(cases, options);
  require_distinct_files(options, cases);
  if (options.dry_run) {
    std::fputs(dry_run(cases).c_str(), stdout);
    return static_cast<int>(Status::verified);
  }
  watch_signals();
  ranks::barrier();  // from here on all ranks are interrupted together
  const KokkosScope kokkos(flags);
  if (ranks::several()) {
    std::vector<std::string> spaces;
    for (const auto& c : cases)
      if (!contains(spaces, c.specialization->space)) spaces.push_back(c.specialization->space);
    const bool on_hosts = std::all_of(spaces.begin(), spaces.end(), runs_on_host);
    if (!on_hosts && !options.share_devices)
      if (const auto why = ranks::shared_device(); !why.empty()) throw MachineError(why);
    transport::choose(spaces, options.transport);
  }
  if (options.tune) return tune(cases, options);
  return run_cases(options.tuned_for_this_machine ? tuned_cases(cases, options) : cases, options);
}

int generate(const Typed& t, const CLI::App& app, KokkosFlags& flags) {
  const GenerateOptions o = generate_options(t, *app.get_subcommands().front());
  prepare_kokkos(flags, false);
  Parameters parameters(event_parameters(), Size::course, false, o.seed);
  for (const auto& [name, value] : o.set) parameters.set(name, value);
  require_events(o, parameters);
  watch_signals();
  const KokkosScope kokkos(flags);
  return generate_events(o, parameters);
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
  if (word.starts_with('-'))
    return "unknown option '" + word + "'" + suggestion(word, long_options(command));
  if (commands.empty())
    return "unexpected argument '" + word + "': '" + command.get_name() + "' takes " +
           (command.get_options([](const auto* o) { return o->get_positional(); }).empty()
                ? "none"
                : "fewer");
  return "unknown command '" + word + "'" + suggestion(word, commands);
}

/// A program that links one exercise is that exercise's; `parallax` stays itself, however few it
/// holds.
bool is_single(const std::string& executable) {
  return exercises().size() == 1 &&
         std::filesystem::path(executable).filename() == exercises().front().name;
}

/// Whether ranks are to join: a script on one of them may ask for anything else.
bool needs_ranks(const std::string& executable, const std::vector<std::string>& arguments) {
  const auto given = [&](const char* word) { return contains(arguments, word); };
  if (given("--help") || given("-h")) return false;
  if (is_single(executable)) return !given("--version");
  return !arguments.empty() &&
         (arguments.front() == "run" || (arguments.front() == "info" && given("--ranks")));
}

/// `run --counters`: Python starts this program once as it is called here, without that flag, and
/// then under profilers.
[[noreturn]] void count(const std::string& executable, std::vector<std::string> words,
                        const KokkosFlags& flags) {
  std::erase(words, "--counters");
  words.insert(words.begin(), executable);
  words.insert(words.end(), flags.flags.begin(), flags.flags.end());
  start_python(counting_script, words);
}

/// To Python, if the first word is one of its commands; the others are passed on unread.
void hand_over(const std::vector<std::string>& arguments) {
  for (const auto& command : python_commands)
    if (arguments.front() == command.name)
      start_python(command.script, {arguments.begin() + 1, arguments.end()});
}

int parse_and_run(std::vector<std::string> arguments, KokkosFlags& flags,
                  const std::string& executable, const std::string& command_line_text) {
  const bool single = is_single(executable);
  if (!single && !arguments.empty()) hand_over(arguments);
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
    auto* const list = app.add_subcommand("list", "the exercises and spaces built in");
    list->add_flag("--all", t.list_all, "also variants, parameters, default sizes");
    list->add_flag("--json", t.list_as_json, "for programs")->excludes("--all");
    auto* const info =
        app.add_subcommand("info", "Kokkos configuration, devices, measured ceilings");
    info->add_flag("--fresh-ceilings", t.run.fresh_ceilings,
                   "measure the ceilings of the caches again, which are kept otherwise");
    info->add_flag("--ranks", t.ranks,
                   "under mpirun or srun: where each rank is, and how fast messages are");
    auto* const run_command = app.add_subcommand("run", "run, verify and time exercises");
    run_command->add_option("exercises", t.run.exercises, "names, or all (default: all)");
    add_run_options(*run_command, t, arguments);
    for (const auto& python : python_commands) app.add_subcommand(python.name, python.summary);
    add_generate_options(*app.add_subcommand("generate", "write input files"), t);
  }
  const auto words = arguments;
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
  refuse_empty(app);
  if (single || app.got_subcommand("run")) {
    const auto options = run_options(t, single ? app : *app.get_subcommand("run"));
    if (options.counters && !ranks::several()) count(executable, words, flags);
    return run(options, flags);
  }
  if (app.got_subcommand("info")) {
    if (t.ranks && !ranks::several())
      throw UsageError("info --ranks: there is one rank; start several by mpirun or srun");
    prepare_kokkos(flags, true);
    const KokkosScope kokkos(flags);
    std::fputs(info_text(t.run.fresh_ceilings).c_str(), stdout);
  } else if (app.got_subcommand("list")) {
    const auto text = t.list_as_json ? list_json() : t.list_all ? full_list_text() : list_text();
    std::fputs(text.c_str(), stdout);
  } else if (app.got_subcommand("generate")) {
    return generate(t, *app.get_subcommand("generate"), flags);
  }
  return static_cast<int>(Status::verified);
}

}  // namespace

int command_line(int argc, char** argv) {
  std::vector<std::string> ours;
  KokkosFlags flags;
  std::string text = argc > 0 ? argv[0] : "parallax";
  const std::string executable = text;
  std::string why;
  const auto fail = [&](const std::string& what, Status status) {
    std::fflush(stdout);
    why = what;
    return static_cast<int>(status);
  };
  std::signal(SIGXFSZ, SIG_IGN);  // `ulimit -f`: writing fails instead, and is one line
  int status = 0;
  try {
    flags.arguments = argv;
    for (int k = 1; k < argc; ++k) {
      const std::string argument = argv[k];
      text += " " + argument;
      (argument.starts_with("--kokkos-") ? flags.flags : ours).push_back(argument);
    }
    if (needs_ranks(executable, ours)) {
      ranks::open(&argc, &argv);
      ranks::require_same(text);
    }
    status = parse_and_run(ours, flags, executable, text);
  } catch (const UsageError& error) {
    status = fail(error.what(), Status::bad_usage);
  } catch (const MachineError& error) {
    status = fail(error.what(), Status::machine_could_not);
  } catch (const std::bad_alloc&) {
    status = fail("the machine ran out of memory", Status::machine_could_not);
  } catch (const std::exception& error) {  // of a library, say
    status = fail(std::string("unexpected error: ") + error.what(), Status::machine_could_not);
  }
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    const std::string cause = errno != 0 ? std::string(": ") + std::strerror(errno) : "";
    const std::string lost = "cannot write standard output" + cause;
    if (why.empty())
      why = lost;
    else
      std::fprintf(stderr, "parallax: %s\n", lost.c_str());
    if (status == static_cast<int>(Status::verified))
      status = static_cast<int>(Status::machine_could_not);
  }
  return ranks::close(status, why);
}

}  // namespace parallax
