// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/parameters.hpp"

#include <algorithm>
#include <cmath>

#include "platform/base/error.hpp"
#include "platform/base/numbers.hpp"

namespace parallax {
namespace {

/// Throws UsageError unless `text` is a value that `spec` allows.
void validate(const Parameter& spec, const std::string& text) {
  const auto refuse = [&](const std::string& expected) {
    throw UsageError("parameter '" + spec.name + "': '" + text + "' is not " + expected);
  };
  const auto in_range = [&](double x) { return x >= spec.least && x <= spec.most; };
  const auto range = [&] {
    std::string bounds;
    if (std::isfinite(spec.least)) bounds += " from " + shortest(spec.least);
    if (std::isfinite(spec.most)) bounds += " up to " + shortest(spec.most);
    return bounds;
  };
  switch (spec.kind) {
    case Parameter::Kind::integer: {
      const auto value = parse_integer(text);
      if (!value || !in_range(static_cast<double>(*value))) refuse("a whole number" + range());
      break;
    }
    case Parameter::Kind::real: {
      const auto value = parse_real(text);
      if (!value || !in_range(*value)) refuse("a real number" + range());
      break;
    }
    case Parameter::Kind::interval: {
      const auto comma = text.find(',');
      const auto low = parse_real(text.substr(0, comma));
      const auto high =
          comma == std::string::npos ? std::nullopt : parse_real(text.substr(comma + 1));
      if (!low || !high || *low > *high) refuse("two real numbers low,high with low <= high");
      break;
    }
    case Parameter::Kind::choice:
      if (std::find(spec.choices.begin(), spec.choices.end(), text) == spec.choices.end())
        refuse("one of " + joined(spec.choices));
      break;
    case Parameter::Kind::path: break;
  }
}

Parameter fixed(std::string name, std::string help, Parameter::Kind kind, const std::string& text) {
  Parameter p;
  p.name = std::move(name);
  p.help = std::move(help);
  p.kind = kind;
  p.tiny = p.course = p.large = text;
  return p;
}

}  // namespace

Parameter count(std::string name, std::string help, Counts defaults, std::int64_t least,
                std::int64_t most) {
  Parameter p = integer(std::move(name), std::move(help), defaults.tiny, least, most);
  p.course = std::to_string(defaults.course);
  p.large = std::to_string(defaults.large);
  if (defaults.course_host) p.course_host = std::to_string(*defaults.course_host);
  return p;
}

Parameter integer(std::string name, std::string help, std::int64_t standard, std::int64_t least,
                  std::int64_t most) {
  Parameter p =
      fixed(std::move(name), std::move(help), Parameter::Kind::integer, std::to_string(standard));
  p.least = static_cast<double>(least);
  p.most = static_cast<double>(most);
  return p;
}

Parameter real(std::string name, std::string help, double standard, double least, double most) {
  Parameter p = fixed(std::move(name), std::move(help), Parameter::Kind::real, shortest(standard));
  p.least = least;
  p.most = most;
  return p;
}

Parameter interval(std::string name, std::string help, double low, double high) {
  return fixed(std::move(name), std::move(help), Parameter::Kind::interval,
               shortest(low) + "," + shortest(high));
}

Parameter choice(std::string name, std::string help, std::vector<std::string> choices) {
  Parameter p = fixed(std::move(name), std::move(help), Parameter::Kind::choice, choices.front());
  p.choices = std::move(choices);
  return p;
}

Parameter path(std::string name, std::string help) {
  return fixed(std::move(name), std::move(help), Parameter::Kind::path, "");
}

Parameters::Parameters(std::vector<Parameter> specification, Size size, bool on_host,
                       std::int64_t seed)
    : specification_(std::move(specification)), seed_(seed) {
  for (const auto& p : specification_) {
    const std::string& course = on_host && !p.course_host.empty() ? p.course_host : p.course;
    text_[p.name] = size == Size::tiny ? p.tiny : size == Size::course ? course : p.large;
  }
}

const Parameter& Parameters::specification(const std::string& name) const {
  for (const auto& p : specification_)
    if (p.name == name) return p;
  std::vector<std::string> known;
  for (const auto& p : specification_) known.push_back(p.name);
  throw UsageError("unknown parameter '" + name + "'" + suggestion(name, known));
}

void Parameters::set(const std::string& name, const std::string& text) {
  validate(specification(name), text);
  text_[name] = text;
  given_.insert(name);
}

void Parameters::set_unchecked(const std::string& name, const std::string& text) {
  text_[specification(name).name] = text;
}

bool Parameters::has(const std::string& name) const { return text_.count(name) != 0; }

std::int64_t Parameters::integer(const std::string& name) const {
  return parse_integer(text(name)).value();
}

double Parameters::real(const std::string& name) const { return parse_real(text(name)).value(); }

std::pair<double, double> Parameters::interval(const std::string& name) const {
  const auto& both = text(name);
  const auto comma = both.find(',');
  return {parse_real(both.substr(0, comma)).value(), parse_real(both.substr(comma + 1)).value()};
}

const std::string& Parameters::text(const std::string& name) const {
  return text_.at(specification(name).name);
}

void Parameters::take(const std::string& name, const Share& share) {
  set_unchecked(name, std::to_string(share.count));
  shares_[name] = share;
}

Share Parameters::share(const std::string& name) const {
  const auto found = shares_.find(name);
  return found != shares_.end() ? found->second : Share{0, integer(name), integer(name)};
}

Values Parameters::values() const {
  Values values;
  for (const auto& p : specification_) {
    switch (p.kind) {
      case Parameter::Kind::integer: values.emplace_back(p.name, integer(p.name)); break;
      case Parameter::Kind::real: values.emplace_back(p.name, real(p.name)); break;
      default: values.emplace_back(p.name, text(p.name));
    }
  }
  if (threads_ > 0) values.emplace_back("threads", std::int64_t{threads_});
  values.emplace_back("seed", seed_);
  return values;
}

}  // namespace parallax
