// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "harness/compare.hpp"

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/error.hpp"
#include "harness/files.hpp"
#include "harness/table.hpp"

namespace parallax {
namespace {

using Json = nlohmann::json;

/// Nanoseconds by case name, of every case that was timed.
using Times = std::map<std::string, double>;

double unit_in_ns(const std::string& unit) {
  if (unit == "ns") return 1;
  if (unit == "us") return 1e3;
  if (unit == "ms") return 1e6;
  if (unit == "s") return 1e9;
  return 0;
}

Times read_times(const std::string& file) {
  const Json json = Json::parse(read_file(file), nullptr, false);
  if (json.is_discarded()) throw UsageError("'" + file + "' is not JSON, or was cut short");
  if (!json.is_object() || !json.contains("benchmarks") || !json["benchmarks"].is_array())
    throw UsageError("'" + file + "' is not a results file: it has no list 'benchmarks'");
  Times times;
  for (const auto& row : json["benchmarks"]) {
    if (!row.is_object() || !row.contains("name") || !row["name"].is_string())
      throw UsageError("'" + file + "': a benchmark has no name");
    if (!row.contains("real_time") || !row["real_time"].is_number()) continue;  // not timed
    const auto unit = row.value("time_unit", std::string("ns"));
    if (unit_in_ns(unit) == 0)
      throw UsageError("'" + file + "': unknown time unit '" + unit + "' (known: ns, us, ms, s)");
    const auto name = row["name"].get<std::string>();
    if (!times.emplace(name, row["real_time"].get<double>() * unit_in_ns(unit)).second)
      throw UsageError("'" + file + "': the case '" + name + "' stands twice");
  }
  if (times.empty()) throw UsageError("'" + file + "' holds no timed case");
  return times;
}

}  // namespace

int compare_files(const std::vector<std::string>& files) {
  std::vector<Times> times;
  for (const auto& file : files) times.push_back(read_times(file));
  std::vector<std::vector<std::string>> rows{{"case", files.front()}};
  for (std::size_t k = 1; k < files.size(); ++k) {
    rows.front().push_back(files[k]);
    rows.front().push_back("ratio");
  }
  rows.front().push_back("");
  std::map<std::string, bool> names;
  for (const auto& t : times)
    for (const auto& [name, ns] : t) names[name] = true;
  std::size_t common = 0;
  for (const auto& [name, unused] : names) {
    std::vector<std::string> row{name};
    bool everywhere = true;
    for (std::size_t k = 0; k < times.size(); ++k) {
      const auto found = times[k].find(name);
      const auto first = times[0].find(name);
      everywhere = everywhere && found != times[k].end();
      row.push_back(found == times[k].end() ? "-" : readable_time(found->second));
      if (k == 0) continue;
      char ratio[32] = "-";
      if (found != times[k].end() && first != times[0].end())
        std::snprintf(ratio, sizeof ratio, "%.3f", found->second / first->second);
      row.emplace_back(ratio);
    }
    row.emplace_back("");
    common += everywhere ? 1 : 0;
    rows.push_back(row);
  }
  std::fputs(aligned(rows).c_str(), stdout);
  std::printf("%zu of %zu cases are in every file; ratio: time over the first file's\n", common,
              names.size());
  return static_cast<int>(Status::verified);
}

}  // namespace parallax
