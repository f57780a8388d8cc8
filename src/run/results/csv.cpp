// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/results/csv.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "platform/base/numbers.hpp"
#include "run/results/doubts.hpp"
#include "run/results/results.hpp"

namespace parallax {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

/// A value as one word: blanks, control characters and % as %XX, as in URLs.
std::string word(const Value& value) {
  std::string out;
  const auto text = std::visit(
      [](const auto& v) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::string>)
          return v;
        else
          return nlohmann::ordered_json(v).dump();
      },
      value);
  for (const char c : text) {
    char escaped[4];
    std::snprintf(escaped, sizeof escaped, "%%%02X", static_cast<unsigned char>(c));
    out += static_cast<unsigned char>(c) <= ' ' || c == '%' || c == 127 ? std::string(escaped)
                                                                        : std::string(1, c);
  }
  return out;
}

}  // namespace

std::string to_csv(const Results& results) {
  std::ostringstream out;
  out.precision(10);
  out << "name,exercise,variant,space,precision,phase,real_time_ns,min_time_ns,max_time_ns,samples,"
         "bytes_per_second,flops_per_second,items_per_second,ceiling,percent_of_ceiling,verified,"
         "expected_to_fail,unavailable,tier,team_size,marks,working_set,ceiling_level,cold\n";
  for (const auto& c : results.cases) {
    for (const auto* text : {&c.exercise, &c.variant, &c.space, &c.precision, &c.phase})
      out << (text == &c.exercise ? quoted(c.name()) + "," : "") << quoted(*text) << ',';
    const auto& real = c.samples.real_ns;
    if (real.empty()) {
      out << ",,,0,,,,,,";
    } else {
      const double seconds = c.median_ns() * 1e-9;
      out << c.median_ns() << ',' << *std::min_element(real.begin(), real.end()) << ','
          << *std::max_element(real.begin(), real.end()) << ',' << real.size() << ','
          << c.work.bytes / seconds << ',' << c.work.flops / seconds << ','
          << c.work.items / seconds << ',' << c.bound.name << ',';
      if (std::isfinite(c.percent_of_ceiling())) out << c.percent_of_ceiling();
      out << ',';
    }
    if (c.verdict) out << (c.verdict->passed ? "true" : "false");
    out << ',' << (c.expected_to_fail ? "true" : "false") << ',' << quoted(c.unavailable) << ','
        << name_of(c.tier) << ',';
    if (c.team_size > 0) out << c.team_size;
    out << ',' << doubt_letters(results, c) << ',';
    if (c.set.bytes > 0) out << c.set.bytes;
    out << ',' << c.bound.level << ',' << (c.set.cold ? "true" : "false") << '\n';
  }
  return out.str();
}

std::string fom_lines(const Results& results) {
  std::string out;
  for (const auto& c : results.cases) {
    // Whether a race is right changes from run to run, and its time means nothing.
    if (c.samples.real_ns.empty() || !c.verified() || c.expected_to_fail) continue;
    out += "parallax.fom " + c.name();
    for (const auto& [name, value] : c.parameters) out += " " + name + "=" + word(value);
    out += " " + significant(c.median_ns(), 6) + " ns\n";
  }
  return out;
}

}  // namespace parallax
