// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/parameters.hpp"

#include <cmath>

#include "platform/base/error.hpp"
#include "platform/base/numbers.hpp"

namespace parallax {
namespace {

[[noreturn]] void refuse(const Parameter& p, const std::string& text) {
  std::string expected = p.kind == Parameter::Kind::integer ? "a whole number"
                         : p.kind == Parameter::Kind::real  ? "a real number"
                         : p.kind == Parameter::Kind::interval
                             ? "two real numbers low,high with low <= high"
                         : p.kind == Parameter::Kind::path ? "a value (is a variable not set?)"
                                                           : "one of " + joined(p.choices);
  if (std::isfinite(p.least)) expected += " from " + shortest(p.least);
  if (std::isfinite(p.most)) expected += " up to " + shortest(p.most);
  if (!p.automatic.empty()) expected += ", nor " + p.automatic;
  throw UsageError("parameter '" + p.name + "': '" + text + "' is not " + expected);
}

std::optional<Value> read_interval(const std::string& text) {
  const auto comma = text.find(',');
  if (comma == std::string::npos) return std::nullopt;
  const auto low = parse_real(text.substr(0, comma)), high = parse_real(text.substr(comma + 1));
  if (!low || !high || *low > *high) return std::nullopt;
  return std::vector{*low, *high};
}

/// Whole numbers plainly, others as short as they can be read back.
std::string plain(double x) {
  constexpr double exact = 9007199254740992.0;
  if (x == std::floor(x) && std::abs(x) <= exact)
    return std::to_string(static_cast<std::int64_t>(x));
  int digits = 6;
  while (digits < 17 && parse_real(significant(x, digits)) != x) ++digits;
  return significant(x, digits);
}

Parameter fixed(std::string name, std::string help, Parameter::Kind kind, const Value& value) {
  return {std::move(name), std::move(help), kind, value, value, value};
}

}  // namespace

Parameter count(std::string name, std::string help, Counts defaults, std::int64_t least,
                std::int64_t most) {
  Parameter p = integer(std::move(name), std::move(help), defaults.tiny, least, most);
  p.course = defaults.course;
  p.large = defaults.large;
  p.course_host = defaults.course_host;
  return p;
}

Parameter integer(std::string name, std::string help, std::int64_t standard, std::int64_t least,
                  std::int64_t most) {
  Parameter p = fixed(std::move(name), std::move(help), Parameter::Kind::integer, standard);
  p.least = static_cast<double>(least);
  p.most = static_cast<double>(most);
  return p;
}

Parameter real(std::string name, std::string help, double standard, double least, double most) {
  Parameter p = fixed(std::move(name), std::move(help), Parameter::Kind::real, standard);
  p.least = least;
  p.most = most;
  return p;
}

Parameter interval(std::string name, std::string help, double low, double high) {
  return fixed(std::move(name), std::move(help), Parameter::Kind::interval, std::vector{low, high});
}

Parameter choice(std::string name, std::string help, std::vector<std::string> choices) {
  Parameter p = fixed(std::move(name), std::move(help), Parameter::Kind::choice, choices.front());
  p.choices = std::move(choices);
  return p;
}

Parameter path(std::string name, std::string help) {
  return fixed(std::move(name), std::move(help), Parameter::Kind::path, std::string());
}

bool Parameter::concerns(const std::string& space) const {
  return spaces.empty() || contains(spaces, space);
}

Value read(const Parameter& p, const std::string& text) {
  std::optional<Value> value;
  if (p.kind == Parameter::Kind::integer)
    value = parse_integer(text);
  else if (p.kind == Parameter::Kind::real)
    value = parse_real(text);
  else if (p.kind == Parameter::Kind::interval)
    value = read_interval(text);
  else if (p.kind == Parameter::Kind::path ? !text.empty() : contains(p.choices, text))
    value = text;
  if (!value) refuse(p, text);
  return *value;
}

void require(const Parameter& p, const Value& value) {
  const auto in_range = [&](double x) { return x >= p.least && x <= p.most; };
  if (const auto* whole = std::get_if<std::int64_t>(&value))
    if (!in_range(static_cast<double>(*whole))) refuse(p, std::to_string(*whole));
  if (const auto* real = std::get_if<double>(&value))
    if (!in_range(*real)) refuse(p, shortest(*real));
}

Value judged(const Parameter& p, const std::string& text) {
  if (!p.automatic.empty() && text == p.automatic) return std::int64_t{0};
  const auto value = read(p, text);
  require(p, value);
  return value;
}

std::string text_of(const Parameter& p, const Value& value) {
  switch (p.kind) {
    case Parameter::Kind::integer: {
      const auto whole = std::get<std::int64_t>(value);
      return whole == 0 && !p.automatic.empty() ? p.automatic : std::to_string(whole);
    }
    case Parameter::Kind::real: return plain(std::get<double>(value));
    case Parameter::Kind::interval: {
      const auto& ends = std::get<std::vector<double>>(value);
      return plain(ends.at(0)) + "," + plain(ends.at(1));
    }
    default: return std::get<std::string>(value);
  }
}

const Parameter& find_parameter(const std::vector<Parameter>& all, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& p : all) {
    if (p.name == name) return p;
    known.push_back(p.name);
  }
  throw UsageError("unknown parameter '" + name + "'" + suggestion(name, known));
}

Parameters::Parameters(std::vector<Parameter> specification, Size size, bool on_host,
                       std::int64_t seed)
    : specification_(std::move(specification)), seed_(seed) {
  for (const auto& p : specification_) {
    const Value& course = on_host && p.course_host ? *p.course_host : p.course;
    values_[p.name] = size == Size::tiny ? p.tiny : size == Size::course ? course : p.large;
  }
}

const Parameter& Parameters::specification(const std::string& name) const {
  return find_parameter(specification_, name);
}

void Parameters::set(const std::string& name, const std::string& text) {
  give(name, judged(specification(name), text));
}

void Parameters::give(const std::string& name, const Value& value) {
  replace(name, value);
  given_.insert(name);
}

void Parameters::replace(const std::string& name, const Value& value) {
  values_.at(specification(name).name) = value;
}

bool Parameters::has(const std::string& name) const { return values_.count(name) != 0; }

const Value& Parameters::value(const std::string& name) const {
  return values_.at(specification(name).name);
}

std::int64_t Parameters::integer(const std::string& name) const {
  return std::get<std::int64_t>(value(name));
}

double Parameters::real(const std::string& name) const { return std::get<double>(value(name)); }

std::pair<double, double> Parameters::interval(const std::string& name) const {
  const auto& ends = std::get<std::vector<double>>(value(name));
  return {ends.at(0), ends.at(1)};
}

std::string Parameters::text(const std::string& name) const {
  return text_of(specification(name), value(name));
}

int Parameters::appended(Parameter::Role role) const {
  for (const auto& p : specification_)
    if (p.role == role) return static_cast<int>(integer(p.name));
  return 0;
}

void Parameters::take(const std::string& name, const Share& share) {
  replace(name, share.count);
  shares_[name] = share;
}

Share Parameters::share(const std::string& name) const {
  const auto found = shares_.find(name);
  return found != shares_.end() ? found->second : Share{0, integer(name), integer(name)};
}

Values Parameters::values() const {
  Values values;
  for (const auto& p : specification_) {
    if (p.role == Parameter::Role::team_size) continue;
    if (p.role == Parameter::Role::threads && threads() == 0) continue;
    const bool interval = p.kind == Parameter::Kind::interval;
    values.emplace_back(p.name, interval ? Value(text(p.name)) : value(p.name));
  }
  values.emplace_back("seed", seed_);
  return values;
}

}  // namespace parallax
