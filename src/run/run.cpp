// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "exercise/check.hpp"
#include "measure/ceilings/kept_ladder.hpp"
#include "platform/base/error.hpp"
#include "platform/base/files.hpp"
#include "platform/base/interrupt.hpp"
#include "platform/base/time_spent.hpp"
#include "platform/base/units.hpp"
#include "platform/device/counted.hpp"
#include "platform/device/space_info.hpp"
#include "platform/host/host.hpp"
#include "platform/host/memory.hpp"
#include "platform/ranks/ranks.hpp"
#include "platform/ranks/routes.hpp"
#include "run/results/csv.hpp"
#include "run/results/json.hpp"
#include "run/results/results.hpp"
#include "run/results/summary.hpp"
#include "run/results/table.hpp"
#include "run/row_runner.hpp"

namespace parallax {
namespace {

/// One line on a terminal that says what is being measured; nothing where standard error is a file.
class Progress {
 public:
  Progress(std::size_t total, bool quiet) : total_(total), shown_(!quiet && shows_progress()) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::size_t done, const std::string& name) const {
    if (shown_) std::fprintf(stderr, "\r\033[K[%zu/%zu] %s", done + 1, total_, name.c_str());
  }
  void clear() const {
    if (shown_) std::fprintf(stderr, "\r\033[K");
  }

 private:
  std::size_t total_;
  bool shown_;
};

/// While one lives, whoever ends the program by exit(), such as a kernel, has not ended it well.
class Unfinished {
 public:
  Unfinished() {
    static const bool registered = std::atexit(ended) == 0;
    here = registered;
  }
  ~Unfinished() { here = false; }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  static void ended() {
    if (!here) return;
    std::fputs("parallax: a kernel ended the program: its row and all after it are missing\n",
               stderr);
    std::_Exit(static_cast<int>(Status::check_failed));
  }
  static inline bool here = false;
};

/// What this rank does of a case.
Parameters mine(const Case& c, const RunOptions& options) {
  Parameters parameters = c.parameters;
  if (ranks::several()) {
    parameters.divide({ranks::rank(), ranks::size(), options.weak});
    c.exercise->divide(parameters);
  }
  return parameters;
}

void require_memory(const Case& c, const Parameters& parameters) {
  const auto info = describe_space(c.specialization->space);
  auto need = c.exercise->memory(parameters, static_cast<double>(c.specialization->scalar_bytes));
  // The ranks of a host have one memory.
  need.host *= ranks::local_size();
  if (info.on_host) need.space *= ranks::local_size();
  const auto refuse_above = [&](double bytes, double free, const std::string& where) {
    if (bytes > free)
      throw MachineError(c.exercise->name + "/" + info.name + "/" + c.specialization->precision +
                         c.suffix + " needs " + readable_bytes(bytes) + " of " + where +
                         ", of which " + readable_bytes(free) +
                         " are free; choose a smaller --size or --set");
  };
  if (info.on_host) {
    refuse_above(need.space, info.memory_free, "memory");
  } else {
    refuse_above(need.space + need.staging, info.memory_free, "memory on " + info.device);
    refuse_above(need.host + need.staging, host_memory().free, "host memory");
  }
}

class Run {
 public:
  Run(const std::vector<Case>& cases, const RunOptions& options,
      const std::function<void(const Results&)>& report)
      : cases_(cases),
        options_(options),
        report_(report),
        progress_(cases.size(), options.quiet),
        checked_(options.sampled) {
    results_.command_line = options.command_line;
    results_.executable = options.executable;
    if (!options.json.empty()) files_.emplace_back(options.json, to_json);
    if (!options.csv.empty()) files_.emplace_back(options.csv, to_csv);
    if (ranks::several()) results_.machine.ranks = ranks::texts(ranks::place());
    for (const auto& info : describe_spaces())
      if (std::any_of(cases.begin(), cases.end(),
                      [&](const Case& c) { return c.specialization->space == info.name; }))
        results_.machine.spaces.push_back(info);
    if (ranks::several())
      for (const auto& info : results_.machine.spaces)
        results_.machine.routes[info.name] = {transport::chosen(info.name), {}};
  }

  int execute() {
    const Unfinished unfinished;
    for (const auto& file : {options_.json, options_.csv, options_.image})
      if (!file.empty()) require_writable(file);
    for (const auto& c : cases_) {
      const auto parameters = mine(c, options_);
      require_memory(c, parameters);
      if (c.specialization->refuse) c.specialization->refuse(parameters);
    }
    rows_.prepare();
    try {
      if (options_.energy) progress_.show(0, "idle power");
      rows_.measure_idle_power();
      measure_all_ceilings();
      for (std::size_t k = 0; k < cases_.size() && !stops(); ++k) {
        progress_.show(k, cases_[k].exercise->name + "/" + cases_[k].specialization->space + "/" +
                              cases_[k].specialization->precision + cases_[k].suffix);
        const auto before = time_.so_far();
        run_case(cases_[k]);
        count_seconds(cases_[k], before);
      }
    } catch (...) {
      finish(false);
      throw;
    }
    finish(!interrupted());
    return status();
  }

 private:
  static bool stops() { return interrupted() || counted::finished(); }

  /// Gives what was found to the files and to standard output. Without a row the files stay as they
  /// are: they may hold an older result.
  void finish(bool complete) {
    results_.complete = complete;
    results_.seconds = time_.so_far();
    results_.state_sources = rows_.state_sources();
    progress_.clear();
    if (results_.cases.empty()) return;
    if (report_) return report_(results_);
    for (const auto& [file, format] : files_)
      attempt([&, &to = file, &as = format] { write_file(to, as(results_)); });
    const auto rows = options_.verbose ? full_table(results_, options_.all_rows)
                                       : table(results_, options_.all_rows);
    std::fputs(rows.c_str(), stdout);
    if (!options_.quiet && !options_.no_results)
      std::fputs(what_was_computed(results_).c_str(), stdout);
    if (!options_.quiet)
      std::fputs((options_.verbose ? full_footer(results_) : footer(results_)).c_str(), stdout);
    if (options_.fom) std::fputs(fom_lines(results_).c_str(), stdout);
  }

  /// One file that cannot be written does not keep the others from it.
  template <class F>
  void attempt(F const& write) {
    try {
      write();
    } catch (const std::exception& error) {
      progress_.clear();
      std::fprintf(stderr, "parallax: %s\n", one_line(error.what()).c_str());
      file_lost_ = true;
    }
  }

  void measure_all_ceilings() {
    if (options_.verify_only) return;
    if (options_.no_ceilings) {
      for (const auto& info : results_.machine.spaces)
        results_.machine.caches[info.name] = caches_of(info);
      return;
    }
    const time_spent::Timer measuring(time_spent::Part::ceilings);
    measure_all_links();
    for (const auto& info : results_.machine.spaces) {
      if (interrupted()) return;
      progress_.show(0, "ceilings of " + info.name);
      results_.machine.ceilings.push_back(
          measure_ceilings(info.name, options_.size == "tiny" ? Scale::cache : Scale::memory));
      auto& found = results_.machine.ceilings.back();
      results_.machine.caches[info.name] = found.caches;
      // Only one rank has the host for itself: what several measure is not kept.
      if (found.measured() && !interrupted() && !ranks::several())
        found.ladder = kept_ladder(info, found.caches, options_.fresh_ceilings, found.triad);
    }
  }

  void measure_all_links() {
    if (!ranks::several()) return;
    const auto measured = [](const transport::Way& way) {
      return measure_links(*way.transport, way.space, std::size_t{1} << 30);
    };
    results_.machine.links = measured(transport::all(host_space()).front());
    for (auto& [space, route] : results_.machine.routes)
      if (route.choice.way.name != "host") route.links = measured(route.choice.way);
  }

  /// Adds to the exercise's seconds what has been spent since `before`.
  void count_seconds(const Case& c, const time_spent::Breakdown& before) {
    auto& spent = results_.exercise_seconds[c.exercise->name];
    const auto now = time_.so_far();
    spent.resize(now.size());
    for (std::size_t k = 0; k < now.size(); ++k)
      spent[k] = {now[k].first, spent[k].second + now[k].second - before[k].second};
  }

  void run_case(const Case& c) {
    const Plan plan = make_plan(c);
    for (const auto& row : plan.rows) {
      ranks::barrier();  // where they agree on signals
      if (stops()) return;
      if (!contains(c.variants, row.variant)) continue;
      auto result = rows_.run(c, row, false);
      if (result.samples.interrupted && result.samples.real_ns.size() < 3) return;
      const bool drawable = result.verified() && plan.draw && !options_.image.empty();
      results_.cases.push_back(std::move(result));
      if (drawable && !drawn_) {
        drawn_ = true;
        attempt([&] { plan.draw(options_.image); });
      }
      if (options_.cold && result_is_timed() && row.work.traffic != Traffic::bus &&
          !interrupted()) {
        auto cold = rows_.run(c, row, true);
        if (!cold.samples.interrupted || cold.samples.real_ns.size() >= 3)
          results_.cases.push_back(std::move(cold));
      }
      save_now_and_then();
    }
  }

  [[nodiscard]] bool result_is_timed() const {
    return !results_.cases.back().samples.real_ns.empty();
  }

  [[nodiscard]] Plan make_plan(const Case& c) const {
    const time_spent::Timer making(time_spent::Part::inputs);
    try {
      return c.specialization->plan(mine(c, options_));
    } catch (const UsageError&) {
      throw;
    } catch (const MachineError&) {
      throw;
    } catch (const std::exception& error) {
      std::string why = error.what();
      throw MachineError(c.exercise->name + "/" + c.specialization->space +
                         ": cannot set up: " + why.substr(0, why.find('\n')));
    }
  }

  /// What is finished survives even a signal that cannot be caught. At most once a second: files
  /// may be long.
  void save_now_and_then() {
    const auto now = std::chrono::steady_clock::now();
    if (now - saved_ < std::chrono::seconds(1)) return;
    results_.seconds = time_.so_far();
    results_.state_sources = rows_.state_sources();
    for (const auto& [file, format] : files_) {
      // A stream keeps what it took. The last attempt counts, and says what was wrong.
      try {
        if (!is_stream(file)) write_file(file, format(results_));
      } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
      }
    }
    saved_ = now;
  }

  [[nodiscard]] int status() const {
    const bool speaks = ranks::rank() == 0;
    if (interrupted()) {
      const auto rows = results_.cases.size();
      const std::string when =
          rows == 0 ? "before the first row; files are as they were"
                    : "after " + std::to_string(rows) + " rows; what was finished is kept";
      if (speaks)
        std::fprintf(stderr, "parallax: stopped by signal %d %s\n", interrupting_signal(),
                     when.c_str());
      return 128 + interrupting_signal();
    }
    const auto failures = std::count_if(results_.cases.begin(), results_.cases.end(),
                                        [](const RowResult& c) { return c.failed(); });
    if (failures > 0 && speaks)
      std::fprintf(stderr, "parallax: %ld of %zu checks failed\n", static_cast<long>(failures),
                   results_.cases.size());
    const bool judged = std::any_of(results_.cases.begin(), results_.cases.end(),
                                    [](const RowResult& c) { return c.verdict.has_value(); });
    if (!judged && speaks)
      std::fputs("parallax: nothing was verified: no row is available here (--all-rows says why)\n",
                 stderr);
    return static_cast<int>(file_lost_ || !judged ? Status::machine_could_not
                            : failures > 0        ? Status::check_failed
                                                  : Status::verified);
  }

  const std::vector<Case>& cases_;
  const RunOptions& options_;
  const std::function<void(const Results&)>& report_;
  Progress progress_;
  Results results_;
  time_spent::Account time_;
  const check::Settings checked_;
  RowRunner rows_{options_, results_.machine};
  std::vector<std::pair<std::string, std::string (*)(const Results&)>> files_;
  bool drawn_ = false, file_lost_ = false;
  std::chrono::steady_clock::time_point saved_{};
};

}  // namespace

int run_cases(const std::vector<Case>& cases, const RunOptions& options,
              const std::function<void(const Results&)>& report) {
  return Run(cases, options, report).execute();
}

}  // namespace parallax
