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

/// Whole numbers plainly, others as short as they can be read back.
std::string plain(double x) {
  constexpr double exact = 9007199254740992.0;
  if (x == std::floor(x) && std::abs(x) <= exact) return fixed(x, 0);
  int digits = 6;
  while (digits < 17 && parse_real(significant(x, digits)) != x) ++digits;
  return significant(x, digits);
}

std::string plain(const std::string& text) {
  const auto number = parse_real(text);
  return number ? plain(*number) : text;
}

double number(const std::string& all, const std::string& text) {
  const auto value = parse_real(text);
  if (!value) refuse(all, "'" + text + "' is not a number");
  return *value;
}

std::vector<std::string> range(const std::string& all, const std::vector<std::string>& parts) {
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
  std::vector<std::string> values;
  for (int k = 0; k <= static_cast<int>(std::floor(steps + 1e-9)); ++k)
    values.push_back(plain(multiplied ? first * std::pow(by, k) : first + by * k));
  return values;
}

}  // namespace

int parse_team_size(const std::string& option, const std::string& text) {
  if (text == "auto" || text == "AUTO") return 0;
  const auto size = parse_integer(text);
  if (!size || *size < 1 || *size > 1'000'000)
    throw UsageError(option + ": '" + text + "' is not a number of threads from 1, nor auto");
  return static_cast<int>(*size);
}

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
    sweep.values = range(text, parts);
  } else {
    for (const auto& item : split(right, ',')) {
      if (item.empty()) refuse(text, "a value is missing");
      sweep.values.push_back(plain(item));
    }
  }
  for (std::size_t k = 0; k < sweep.values.size(); ++k)
    if (std::find(sweep.values.begin(), sweep.values.begin() + static_cast<std::ptrdiff_t>(k),
                  sweep.values[k]) != sweep.values.begin() + static_cast<std::ptrdiff_t>(k))
      refuse(text, "the value " + sweep.values[k] + " stands twice");
  if (sweep.values.size() > most_values)
    refuse(text, "it has more than " + std::to_string(most_values) + " values");
  return sweep;
}

}  // namespace parallax
