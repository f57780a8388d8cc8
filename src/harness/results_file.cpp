// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "harness/results_file.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/error.hpp"
#include "harness/files.hpp"

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

FileCase read_case(const std::string& where, const Json& row) {
  FileCase c;
  c.space = text_of(row, "space");
  c.other_work = flag(row, "other_work");
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
  c.ns = nanoseconds(where, *time, unit_in_ns(unit));
  const auto samples = row.find("samples");
  if (samples == row.end() || !samples->is_array()) return c;
  for (const auto& sample : *samples)
    if (sample.is_number()) c.samples.push_back(nanoseconds(where, sample, unit_in_ns(unit)));
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
    timed = timed || c.ns > 0;
    if (!result.cases.emplace(name, std::move(c)).second)
      throw UsageError(where + ": the case '" + name + "' stands twice");
  }
  if (!timed) throw UsageError("'" + file + "' holds no timed case");
  return result;
}

}  // namespace parallax
