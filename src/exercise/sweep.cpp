// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/sweep.hpp"

#include <algorithm>
#include <cmath>

#include "platform/base/error.hpp"
#include "platform/base/numbers.hpp"

namespace parallax {
namespace {

constexpr std::size_t most_values = 1000;

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw UsageError("--sweep '" + text + "': " + why);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

double number(const std::string& all, const std::string& text) {
  const auto value = parse_real(text);
  if (!value) refuse(all, "'" + text + "' is not a number");
  return *value;
}

std::vector<double> range(const std::string& all, const std::vector<std::string>& parts) {
  const auto& how = parts[2];
  if (parts.size() != 3 || how.size() < 2 || (how[0] != 'x' && how[0] != '+'))
    refuse(all, "expected NAME=FIRST:LAST:xFACTOR, NAME=FIRST:LAST:+STEP or NAME=A,B,C");
  const double first = number(all, parts[0]), last = number(all, parts[1]);
  const double by = number(all, how.substr(1));
  const bool multiplied = how[0] == 'x';
  if (last < first) refuse(all, "it ends before it begins");
  if (multiplied && (by <= 1 || first <= 0))
    refuse(all, "a factor must be above 1, and the first value above 0");
  if (!multiplied && by <= 0) refuse(all, "a step must be above 0");
  const double steps = multiplied ? std::log(last / first) / std::log(by) : (last - first) / by;
  if (steps >= static_cast<double>(most_values))
    refuse(all, "it has more than " + std::to_string(most_values) + " values");
  std::vector<double> values;
  for (int k = 0; k <= static_cast<int>(std::floor(steps + 1e-9)); ++k)
    values.push_back(multiplied ? first * std::pow(by, k) : first + by * k);
  return values;
}

}  // namespace

Sweep parse_sweep(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
    refuse(text, "expected NAME=FIRST:LAST:xFACTOR, NAME=FIRST:LAST:+STEP or NAME=A,B,C");
  Sweep sweep{text.substr(0, equals), {}};
  std::replace(sweep.name.begin(), sweep.name.end(), '-', '_');
  const auto right = text.substr(equals + 1);
  auto parts = split(right, ':');
  if (parts.size() > 1) {
    if (parts.size() == 2) parts.emplace_back();
    sweep.range = range(text, parts);
  } else {
    sweep.list = split(right, ',');
    if (contains(sweep.list, "")) refuse(text, "a value is missing");
  }
  if (sweep.list.size() > most_values)
    refuse(text, "it has more than " + std::to_string(most_values) + " values");
  return sweep;
}

Series series_of(const Sweep& sweep, const Parameter& parameter) {
  Series series{sweep.name, {}};
  auto& values = series.values;
  const auto is_new = [&] {
    return std::find(values.begin(), values.end() - 1, values.back()) == values.end() - 1;
  };
  for (const auto& text : sweep.list) {
    values.push_back(judged(parameter, text));
    if (!is_new())
      throw UsageError("--sweep " + sweep.name + ": the value " +
                       text_of(parameter, values.back()) + " is given twice");
  }
  for (const double x : sweep.range) {
    const bool whole = parameter.kind == Parameter::Kind::integer;
    if (!whole && parameter.kind != Parameter::Kind::real)
      throw UsageError("--sweep " + sweep.name + ": takes values A,B,C, not a range of numbers");
    require(parameter, whole ? std::round(x) : x);
    if (whole)
      values.emplace_back(std::int64_t{std::llround(x)});
    else
      values.emplace_back(x);
    if (!is_new()) values.pop_back();
  }
  return series;
}

std::vector<Values> multiplied(const std::vector<Values>& sets, const Series& series) {
  std::vector<Values> result;
  for (const auto& set : sets)
    for (const auto& value : series.values) {
      Values next = set;
      std::erase_if(next, [&](const auto& a) { return a.first == series.name; });
      next.emplace_back(series.name, value);
      if (std::find(result.begin(), result.end(), next) == result.end()) result.push_back(next);
    }
  return result;
}

}  // namespace parallax
