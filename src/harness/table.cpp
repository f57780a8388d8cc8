// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "harness/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "harness/marks.hpp"
#include "harness/ranks.hpp"

namespace parallax {
namespace {

std::string three_digits(double x) {
  char text[32];
  const int digits = x >= 100 ? 0 : x >= 10 ? 1 : 2;
  std::snprintf(text, sizeof text, "%.*f", digits, x);
  return text;
}

std::string scaled(double x, double base, const std::vector<char const*>& prefixes,
                   const std::string& unit) {
  std::size_t k = 0;
  while (x >= 999.5 && k + 1 < prefixes.size()) {
    x /= base;
    ++k;
  }
  return three_digits(x) + " " + prefixes[k] + unit;
}

/// Half the distance between the quartiles over the median: how far samples scatter, in per cent.
/// Behind it, the letters of what makes the samples doubtful.
std::string spread(std::vector<double> samples, const std::string& marks) {
  if (samples.size() < 4) return marks;
  std::sort(samples.begin(), samples.end());
  const double low = samples[samples.size() / 4];
  const double high = samples[samples.size() * 3 / 4];
  return three_digits(50 * (high - low) / median(samples)) + " %" +
         (marks.empty() ? "" : " " + marks);
}

std::string rate(const RowResult& c) {
  const double seconds = c.median_ns() * 1e-9;
  const bool arithmetic = c.bound.name.rfind("fma", 0) == 0;
  if (arithmetic || (c.work.bytes <= 0 && c.work.flops > 0))
    return readable_rate(c.work.flops / seconds, "FLOP/s");
  if (c.work.bytes > 0) return readable_rate(c.work.bytes / seconds, "B/s");
  return readable_rate(c.work.items / seconds, "/s");
}

/// "71 % triad L2", "12 % read L1?", "85 % atomic (9.1 % read)".
std::string of_ceiling(const RowResult& c) {
  const double percent = c.percent_of_ceiling();
  if (!std::isfinite(percent)) return "";
  std::string text =
      three_digits(percent) + " % " + label_of(c.bound) + (c.bound.unsure ? "?" : "");
  if (!c.bound.without_atomics.empty())
    text +=
        " (" + three_digits(c.percent_without_atomics()) + " % " + c.bound.without_atomics + ")";
  return text;
}

/// "1.25 J gpu + 310 mJ package"
std::string joules_of(const RowResult& c) {
  std::string text;
  for (const auto& part : c.energy ? c.energy->parts : std::vector<EnergyPart>{})
    text += (text.empty() ? "" : " + ") +
            scaled(part.joules * 1e9, 1000, {"n", "u", "m", "", "k", "M"}, "J ") + part.name;
  return text;
}

/// Why rows have no energy: a line for each kind of reason, with the first row that has it.
std::string energy_notes(const Results& results) {
  std::map<std::string, std::pair<std::size_t, std::string>> kinds;
  for (const auto& c : results.cases) {
    if (!c.energy || c.energy->missing.empty()) continue;
    auto& [count, first] = kinds[c.energy->missing.substr(0, c.energy->missing.find(':'))];
    if (count++ == 0) first = c.name() + ": " + c.energy->missing;
  }
  std::string notes;
  for (const auto& [kind, rows] : kinds)
    notes += "no joules: " + rows.second +
             (rows.first > 1 ? " (and " + std::to_string(rows.first - 1) + " more)" : "") + "\n";
  return notes;
}

std::string judgement(const RowResult& c) {
  if (!c.unavailable.empty()) return "n/a: " + c.unavailable;
  if (!c.verdict) return "";
  if (c.expected_to_fail) return c.verdict->passed ? "right by luck" : "wrong, as expected";
  if (c.verdict->passed) return "verified";
  if (c.cause)
    return "FAILED: " + c.cause->what + (c.cause->detail.empty() ? "" : ": " + c.cause->detail);
  char numbers[96];
  std::snprintf(numbers, sizeof numbers, " (error %.3g, tolerance %.3g)", c.verdict->error,
                c.verdict->tolerance);
  return "FAILED: " + c.verdict->compared + numbers;
}

}  // namespace

std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> width;
  for (const auto& row : rows) {
    width.resize(std::max(width.size(), row.size()));
    // The last column may hold a sentence, and needs no padding.
    for (std::size_t k = 0; k + 1 < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const bool last = k + 1 == row.size();
      const std::string pad(last ? 0 : width[k] - std::min(width[k], row[k].size()), ' ');
      line += (k == 0 ? row[k] + pad : last ? row[k] : pad + row[k]) + (last ? "" : "  ");
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string readable_time(double ns) {
  if (ns < 999.5) return three_digits(ns) + " ns";
  if (ns < 999.5e3) return three_digits(ns / 1e3) + " us";
  if (ns < 999.5e6) return three_digits(ns / 1e6) + " ms";
  return three_digits(ns / 1e9) + " s";
}

std::string readable_rate(double per_second, const std::string& unit) {
  return scaled(per_second, 1000, {"", "k", "M", "G", "T", "P"}, unit);
}

std::string readable_bytes(double bytes) {
  return scaled(bytes, 1000, {"", "k", "M", "G", "T", "P", "E"}, "B");
}

std::string table(const Results& results, bool all_rows) {
  const auto absent = std::count_if(results.cases.begin(), results.cases.end(),
                                    [](const RowResult& c) { return !c.unavailable.empty(); });
  // Where nothing else was asked for, the reasons are the answer.
  const bool left_out = !all_rows && absent < static_cast<std::ptrdiff_t>(results.cases.size());
  std::vector<std::vector<std::string>> rows{
      {"case", "tier", "time", "spread", "rate", "of ceiling", "check"}};
  const bool energy = std::any_of(results.cases.begin(), results.cases.end(),
                                  [](const RowResult& c) { return c.energy.has_value(); });
  if (energy) rows.front().insert(rows.front().end() - 1, "joules");
  for (const auto& c : results.cases) {
    if (left_out && !c.unavailable.empty()) continue;
    const bool timed = !c.samples.real_ns.empty();
    rows.push_back({c.name(), name_of(c.tier), timed ? readable_time(c.median_ns()) : "",
                    timed ? spread(c.samples.real_ns, mark_letters(results, c)) : "",
                    timed ? rate(c) : "", of_ceiling(c), judgement(c)});
    if (energy) rows.back().insert(rows.back().end() - 1, joules_of(c));
  }
  std::string note;
  if (left_out && absent > 0)
    note = std::to_string(absent) + (absent == 1 ? " row is" : " rows are") +
           " not available here (--all-rows says why)\n";
  return aligned(rows) + note + mark_notes(results) + energy_notes(results);
}

namespace {

double total(const seconds::Breakdown& parts) {
  double sum = 0;
  for (const auto& part : parts) sum += part.second;
  return sum;
}

/// "samples 20.1 s, checks 6.02 s", the largest first: the parts of at least `least` seconds, and
/// at most `most` of them.
std::string largest(seconds::Breakdown parts, double least, std::size_t most) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t k = 0; k < std::min(most, parts.size()) && parts[k].second >= least; ++k)
    text += (k == 0 ? "" : ", ") + parts[k].first + " " + readable_time(1e9 * parts[k].second);
  return text;
}

/// "time: 31.2 s (samples 20.1 s, checks 6.02 s, ...)", of parts of at least a hundredth; and of
/// several exercises, which took longest.
std::string described_time(const Results& results) {
  const auto& parts = results.seconds;
  std::string text = "time: " + readable_time(1e9 * total(parts)) + " (" +
                     largest(parts, total(parts) / 100, parts.size()) + ")\n";
  if (results.exercise_seconds.size() < 2) return text;
  seconds::Breakdown exercises;
  for (const auto& [name, spent] : results.exercise_seconds)
    exercises.emplace_back(name, total(spent));
  return text + "slowest exercises: " + largest(exercises, 0, 5) + "\n";
}

}  // namespace

std::string footer(const Results& results) {
  std::string out;
  if (!results.seconds.empty()) out += described_time(results);
  std::map<std::string, SpaceInfo> spaces;
  for (const auto& s : results.spaces) {
    spaces[s.name] = s;
    if (s.places > 0)
      out += "threads of " + s.name + ": " + std::to_string(s.concurrency) + ", " +
             described_binding(s) + "\n";
  }
  if (!results.ranks.empty()) {
    out += "ranks: " + std::to_string(results.ranks.size()) + " by " + ranks::library() + "\n";
    if (!results.links.empty()) out += "links: " + summary(results.links) + "\n";
    for (const auto& [space, route] : results.routes)
      if (!route.links.empty())
        out += "links of " + space + " (" + transport::described(route.choice.way) +
               "): " + summary(route.links) + "\n";
  }
  for (const auto& c : results.ceilings) {
    out += "ceilings of " + described(spaces[c.space]) + ": " + described(c) + "\n";
    if (const auto levels = described_levels(c); !levels.empty())
      out += "in the caches of " + c.space + ": " + levels + "\n";
    if (const auto accesses = described_accesses(c); !accesses.empty())
      out += "accesses of " + c.space + ": " + accesses + "\n";
  }
  if (std::any_of(results.cases.begin(), results.cases.end(), [](const RowResult& c) {
        return c.tier == Tier::library && c.bound.name.rfind("fma", 0) == 0 &&
               c.percent_of_ceiling() > 105;
      }))
    out +=
        "a library's row above 100 % of fma computes in matrix units, which have no ceiling "
        "here\n";
  // The best kernel of each exercise, precision, phase and set of parameters, space by space.
  std::map<std::string, std::map<std::string, const RowResult*>> best;
  for (const auto& c : results.cases) {
    if (!c.verified() || c.expected_to_fail || c.other_work || c.set.cold) continue;
    if (c.samples.real_ns.empty() || c.phase != "kernel") continue;
    std::string key = c.exercise + " " + c.precision;
    for (const auto& [name, value] : c.parameters)
      std::visit(
          [&, &parameter = name](const auto& v) {
            if constexpr (std::is_arithmetic_v<std::decay_t<decltype(v)>>)
              key += " " + parameter + "=" + std::to_string(v);
          },
          value);
    auto& fastest = best[key][c.space];
    if (fastest == nullptr || c.median_ns() < fastest->median_ns()) fastest = &c;
  }
  for (const auto& [key, by_space] : best) {
    if (by_space.size() < 2) continue;
    const auto slower = [](const auto& a, const auto& b) {
      return a.second->median_ns() < b.second->median_ns();
    };
    const auto& [slow, slowest] = *std::max_element(by_space.begin(), by_space.end(), slower);
    const auto& [fast, quickest] = *std::min_element(by_space.begin(), by_space.end(), slower);
    out += key.substr(0, key.find(' ', key.find(' ') + 1)) + ": " + quickest->variant + " on " +
           described(spaces[fast]) + " is " +
           three_digits(slowest->median_ns() / quickest->median_ns()) + " times as fast as " +
           slowest->variant + " on " + described(spaces[slow]) + "\n";
  }
  return out;
}

}  // namespace parallax
