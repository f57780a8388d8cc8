// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/results/results_file.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "platform/base/error.hpp"
#include "platform/base/files.hpp"
#include "run/results/doubts.hpp"

namespace parallax {
namespace {

using Json = nlohmann::json;

double unit_in_ns(const std::string& unit) {
  if (unit == "ns") return 1;
  if (unit == "us") return 1e3;
  if (unit == "ms") return 1e6;
  if (unit == "s") return 1e9;
  return 0;
}

/// A field of an object as text: strings as they are, the rest as JSON writes it; "" where there is
/// none.
std::string text_of(const Json& object, const std::string& field) {
  const auto found = object.find(field);
  if (found == object.end() || found->is_null()) return "";
  return one_line(found->is_string() ? found->get<std::string>()
                                     : found->dump(-1, ' ', false, Json::error_handler_t::replace));
}

bool flag(const Json& object, const std::string& field) {
  const auto found = object.find(field);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

void read_context(ResultsFile& file, const Json& json) {
  const auto context = json.find("context");
  if (context == json.end() || !context->is_object()) return;
  file.complete = !context->contains("complete") || flag(*context, "complete");
  for (const char* field : {"compiler", "flags", "kokkos_version", "kokkos_kernels_version",
                            "library_build_type", "python_version"})
    file.build[field] = text_of(*context, field);
  const auto spaces = context->find("spaces");
  if (spaces == context->end() || !spaces->is_object()) return;
  for (const auto& [name, space] : spaces->items()) {
    if (!space.is_object()) continue;
    file.devices[name] = text_of(space, "device");
    if (flag(space, "on_host")) file.threads[name] = text_of(space, "concurrency");
  }
}

/// Throws UsageError for times whose ratios would leave the range of numbers; docs/report.md names
/// the same limits.
double nanoseconds(const std::string& where, const Json& number, double unit) {
  const double ns = number.get<double>() * unit;
  if (std::abs(ns) > 1e60 || (ns != 0 && std::abs(ns) < 1e-60))
    throw UsageError(where + ": a time of " + number.dump() + ", which no measurement gives");
  return ns;
}

/// What marks a row in the program's own table, in words: see marks.hpp.
std::string doubt_of(const Json& row) {
  std::string doubt = row.contains("disturbed") ? "disturbed: " + text_of(row, "disturbed") : "";
  const auto add = [&](const std::string& text) { doubt += (doubt.empty() ? "" : "; ") + text; };
  if (const auto clock = row.find("clock"); clock != row.end() && clock->is_object()) {
    const auto mhz = clock->find("mhz"), best = clock->find("best_mhz");
    if (mhz != clock->end() && best != clock->end() && mhz->is_number() && best->is_number() &&
        below_full_clock(mhz->get<double>(), best->get<double>()))
      add(clock_text(mhz->get<double>(), best->get<double>()));
  }
  if (const auto power = row.find("power"); power != row.end() && power->is_object()) {
    const auto throttled = power->find("throttled");
    if (throttled != power->end() && throttled->is_array() && !throttled->empty()) add("throttled");
  }
  return doubt;
}

/// Times of a row: from its samples, or from what is left where a file was kept without them.
void read_time(Estimate& time, const std::string& where, const Json& row, double unit) {
  const auto number = [&](const Json& value) {
    return value.is_number() ? nanoseconds(where, value, unit) : 0.0;
  };
  const auto field = [&](const char* name) { return number(row.value(name, Json())); };
  time.value = field("real_time");
  std::vector<double> samples;
  if (row.contains("samples") && row["samples"].is_array())
    for (const auto& sample : row["samples"])
      if (sample.is_number()) samples.push_back(number(sample));
  time.median = median_interval(samples);
  time.run = sample_range(samples);
  if (!samples.empty() || !row.contains("repetitions")) return;
  const auto& repetitions = row["repetitions"];
  if (!repetitions.is_number() || repetitions.get<double>() < least_samples) return;
  const Interval range{field("min_time"), field("max_time")};
  if (0 < range.low && range.low <= range.high) {
    time.median = range;  // of all samples: it holds the median, too
    time.run = range_of_any(range, time.value,
                            static_cast<std::size_t>(std::min(repetitions.get<double>(), 1e9)));
  }
  const auto kept = row.value("interval", Json());
  if (!kept.is_array() || kept.size() != 2) return;
  const Interval interval{number(kept[0]), number(kept[1])};
  if (0 < interval.low && interval.low <= interval.high) time.median = interval;
}

Estimate scaled(Estimate estimate, double factor) {
  estimate.value *= factor;
  for (auto* interval : {&estimate.median, &estimate.run})
    if (*interval) *interval = Interval{(*interval)->low * factor, (*interval)->high * factor};
  return estimate;
}

FileCase read_case(const std::string& where, const Json& row) {
  FileCase c;
  c.space = text_of(row, "space");
  c.other_work = flag(row, "other_work");
  c.doubt = doubt_of(row);
  c.check_failed = row.contains("verified") && !flag(row, "verified") &&
                   !flag(row, "expected_to_fail") && !flag(row, "skipped");
  const auto parameters = row.find("parameters");
  if (parameters != row.end() && parameters->is_object())
    for (const auto& [name, value] : parameters->items())
      c.parameters[name] = text_of(*parameters, name);
  const auto time = row.find("real_time");
  if (time == row.end() || !time->is_number()) return c;  // not timed
  const auto unit = row.contains("time_unit") ? text_of(row, "time_unit") : "ns";
  if (unit_in_ns(unit) == 0)
    throw UsageError(where + ": unknown time unit '" + unit + "' (known: ns, us, ms, s)");
  read_time(c.time, where, row, unit_in_ns(unit));
  c.disturbed = !text_of(row, "disturbed").empty();
  if (c.disturbed) c.time.run.reset();
  const auto clock = row.find("clock");
  if (clock == row.end() || !clock->is_object() || !clock->contains("mhz")) return c;
  const auto& mhz = (*clock)["mhz"];
  if (mhz.is_number() && mhz.get<double>() >= 1 && mhz.get<double>() <= 1e6)
    c.cycles = scaled(c.time, mhz.get<double>() / 1e3);
  return c;
}

}  // namespace

ResultsFile read_results_file(const std::string& file) {
  // What is nested deeply would overflow the stack where it is written as text.
  const auto shallow = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > 100)
      throw UsageError("'" + file + "' is not a results file: it is nested too deeply");
    return true;
  };
  const Json json = Json::parse(read_file(file), shallow, false);
  if (json.is_discarded()) throw UsageError("'" + file + "' is not JSON, or was cut short");
  if (!json.is_object() || !json.contains("benchmarks") || !json["benchmarks"].is_array())
    throw UsageError("'" + file + "' is not a results file: it has no list 'benchmarks'");
  ResultsFile result;
  result.name = file;
  read_context(result, json);
  bool timed = false;
  const std::string where = "'" + file + "'";
  for (const auto& row : json["benchmarks"]) {
    if (!row.is_object() || !row.contains("name") || !row["name"].is_string())
      throw UsageError(where + ": a benchmark has no name");
    const auto name = one_line(row["name"].get<std::string>());
    auto c = read_case(where, row);
    c.position = result.cases.size();
    timed = timed || c.time.value > 0;
    if (!result.cases.emplace(name, std::move(c)).second)
      throw UsageError(where + ": the case '" + name + "' stands twice");
  }
  if (!timed) throw UsageError("'" + file + "' holds no timed case");
  return result;
}

ResultsFile mean_of_files(const std::vector<ResultsFile>& runs) {
  const auto did = [](const FileCase& c) {
    auto parameters = c.parameters;
    parameters.erase("seed");
    return std::pair(parameters, c.other_work);
  };
  ResultsFile mean = runs.front();
  mean.name += " and " + std::to_string(runs.size() - 1) + " more";
  for (const auto& run : runs) {
    mean.complete = mean.complete && run.complete;
    mean.cases.insert(run.cases.begin(), run.cases.end());
  }
  for (auto& [name, c] : mean.cases) {
    std::vector<double> times, cycles;
    for (const auto& run : runs) {
      const auto found = run.cases.find(name);
      if (found == run.cases.end()) continue;
      if (did(found->second) != did(c))
        throw UsageError("--runs: '" + name + "' did not do the same in '" + runs.front().name +
                         "' and '" + run.name + "'");
      c.check_failed = c.check_failed || found->second.check_failed;
      if (found->second.time.value > 0) times.push_back(found->second.time.value);
      if (found->second.cycles.value > 0) cycles.push_back(found->second.cycles.value);
    }
    c.time = times.empty() ? Estimate{} : mean_of_runs(times);
    c.cycles = cycles.size() < times.size() ? Estimate{} : mean_of_runs(cycles);
  }
  return mean;
}

}  // namespace parallax
