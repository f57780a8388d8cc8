// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/results/table.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "platform/base/numbers.hpp"
#include "platform/base/statistics.hpp"
#include "platform/base/units.hpp"
#include "run/results/doubts.hpp"
#include "run/results/results.hpp"

namespace parallax {
namespace {

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
  const bool arithmetic = c.bound.kind == Bound::Kind::arithmetic;
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
    text += (text.empty() ? "" : " + ") + readable_joules(part.joules) + " " + part.name;
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
  return "FAILED: " + c.verdict->compared + " (error " + significant(c.verdict->error, 3) +
         ", tolerance " + significant(c.verdict->tolerance, 3) + ")";
}

}  // namespace

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
                    timed ? spread(c.samples.real_ns, doubt_letters(results, c)) : "",
                    timed ? rate(c) : "", of_ceiling(c), judgement(c)});
    if (energy) rows.back().insert(rows.back().end() - 1, joules_of(c));
  }
  std::string note;
  if (left_out && absent > 0)
    note = std::to_string(absent) + (absent == 1 ? " row is" : " rows are") +
           " not available here (--all-rows says why)\n";
  return aligned(rows) + note + doubt_notes(results) + energy_notes(results);
}

}  // namespace parallax
