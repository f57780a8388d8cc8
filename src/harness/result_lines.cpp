// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "harness/table.hpp"

namespace parallax {
namespace {

/// One number as one row reports it.
struct Found {
  std::string text;
  double number;
  std::string row;  ///< "atomic/openmp"
};

/// Every result of one name; texts that differ, least number first.
struct Quantity {
  std::string name;
  std::vector<Found> found;
};

std::string shortened(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

/// The value as text and as a number; no text where it is neither a number nor a word.
Found found_of(const Value& value, const std::string& row) {
  if (const auto* whole = std::get_if<std::int64_t>(&value))
    return {std::to_string(*whole), static_cast<double>(*whole), row};
  if (const auto* real = std::get_if<double>(&value)) return {shortened(*real), *real, row};
  if (const auto* truth = std::get_if<bool>(&value)) return {*truth ? "true" : "false", 0, row};
  if (const auto* text = std::get_if<std::string>(&value)) return {*text, 0, row};
  return {"", 0, row};
}

void add(std::vector<Quantity>& quantities, const std::string& name, Found found) {
  if (found.text.empty()) return;
  auto at = std::find_if(quantities.begin(), quantities.end(),
                         [&](const Quantity& q) { return q.name == name; });
  if (at == quantities.end()) at = quantities.insert(quantities.end(), {name, {}});
  auto& all = at->found;
  if (std::any_of(all.begin(), all.end(), [&](const Found& f) { return f.text == found.text; }))
    return;
  all.push_back(std::move(found));
}

std::string described(Quantity& quantity) {
  auto& all = quantity.found;
  if (all.size() == 1) return quantity.name + " " + all.front().text;
  std::stable_sort(all.begin(), all.end(),
                   [](const Found& a, const Found& b) { return a.number < b.number; });
  return quantity.name + " " + all.front().text + " (" + all.front().row + ") to " +
         all.back().text + " (" + all.back().row + ")";
}

}  // namespace

std::string result_lines(const Results& results) {
  std::vector<std::pair<std::string, std::vector<Quantity>>> lines;
  for (const auto& c : results.cases) {
    if (!c.verified() || c.expected_to_fail) continue;
    const std::string name = c.exercise + "/" + c.precision + c.suffix;
    auto line = std::find_if(lines.begin(), lines.end(),
                             [&](const auto& other) { return other.first == name; });
    if (line == lines.end()) line = lines.insert(lines.end(), {name, {}});
    for (const auto& [quantity, value] : c.verdict->result)
      add(line->second, quantity, found_of(value, c.variant + "/" + c.space));
  }
  std::string out;
  for (auto& [name, quantities] : lines) {
    std::string text;
    for (auto& quantity : quantities) text += (text.empty() ? "" : ", ") + described(quantity);
    if (!text.empty()) out += name + ": " + text + "\n";
  }
  return out.empty() ? out : "results\n" + out;
}

}  // namespace parallax
