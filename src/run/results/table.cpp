// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/results/table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

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

/// "71 % triad L2", "12 % read L1?"; with what else bounds it, "85 % atomic (9.1 % read)".
std::string of_ceiling(const RowResult& c, bool with_more) {
  const double percent = c.percent_of_ceiling();
  if (!std::isfinite(percent)) return "";
  std::string text =
      three_digits(percent) + " % " + label_of(c.bound) + (c.bound.unsure ? "?" : "");
  if (with_more && !c.bound.without_atomics.empty())
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

/// In a word or two, and then why.
std::pair<std::string, std::string> judgement(const RowResult& c) {
  if (!c.unavailable.empty()) return {"n/a", c.unavailable};
  if (!c.verdict) return {};
  if (c.expected_to_fail) return {c.verdict->passed ? "right by luck" : "wrong, as expected", ""};
  if (c.verdict->passed) return {"verified", ""};
  if (c.cause)
    return {"FAILED", c.cause->what + (c.cause->detail.empty() ? "" : ": " + c.cause->detail)};
  return {"FAILED", c.verdict->compared + " (error " + significant(c.verdict->error, 3) +
                        ", tolerance " + significant(c.verdict->tolerance, 3) + ")"};
}

/// Which rows are shown: those that are not available only where nothing else was asked for, or
/// `all`; and a line on those that are not.
std::pair<std::vector<const RowResult*>, std::string> shown(const Results& results, bool all) {
  std::vector<const RowResult*> rows, available;
  for (const auto& c : results.cases) {
    rows.push_back(&c);
    if (c.unavailable.empty()) available.push_back(&c);
  }
  const auto absent = rows.size() - available.size();
  if (all || available.empty() || absent == 0) return {rows, ""};
  return {available, std::to_string(absent) + (absent == 1 ? " row is" : " rows are") +
                         " not available here (--all-rows says why)\n"};
}

/// The rows of an exercise: what all have in common, and the rest of each one's name.
struct Group {
  std::string heading;
  std::vector<std::string> labels;
};
Group group_of(const std::vector<const RowResult*>& rows) {
  const auto same = [&](const std::string RowResult::*part) {
    return std::all_of(rows.begin(), rows.end(),
                       [&](const RowResult* c) { return c->*part == rows.front()->*part; });
  };
  const bool space = same(&RowResult::space), precision = same(&RowResult::precision);
  Group group{rows.front()->exercise + (precision ? " " + rows.front()->precision : "") +
                  (space ? " on " + rows.front()->space : ""),
              {}};
  for (const auto* c : rows)
    group.labels.push_back("  " + c->variant + (space ? "" : "/" + c->space) +
                           (precision ? "" : "/" + c->precision) + c->distinction());
  return group;
}

}  // namespace

std::string table(const Results& results, bool all_rows) {
  const auto [rows, note] = shown(results, all_rows);
  const bool energy = std::any_of(rows.begin(), rows.end(),
                                  [](const RowResult* c) { return c->energy.has_value(); });
  std::vector<std::vector<std::string>> lines{{"", "time", "", "rate", "of ceiling", "check"}};
  if (energy) lines.front().insert(lines.front().end() - 1, "joules");
  std::vector<std::string> reasons{""};
  for (std::size_t k = 0; k < rows.size();) {
    std::size_t end = k;
    while (end < rows.size() && rows[end]->exercise == rows[k]->exercise) ++end;
    const auto group = group_of({rows.begin() + static_cast<std::ptrdiff_t>(k),
                                 rows.begin() + static_cast<std::ptrdiff_t>(end)});
    if (k == 0)
      lines.front().front() = group.heading;
    else
      lines.push_back({group.heading, "", "", "", "", ""});
    reasons.resize(lines.size());
    for (std::size_t at = k; at < end; ++at) {
      const auto& c = *rows[at];
      const bool timed = !c.samples.real_ns.empty();
      const auto [check, why] = judgement(c);
      lines.push_back({group.labels[at - k], timed ? readable_time(c.median_ns()) : "",
                       timed ? doubt_letters(results, c) : "", timed ? rate(c) : "",
                       of_ceiling(c, false), check});
      if (energy) lines.back().insert(lines.back().end() - 1, joules_of(c));
      reasons.push_back(why);
    }
    k = end;
  }
  std::istringstream text(aligned(lines));
  std::string out, line;
  for (const auto& why : reasons) {
    std::getline(text, line);
    out += line + "\n" + (why.empty() ? "" : "    " + why + "\n");
  }
  return out + note + doubt_notes(results, false) + energy_notes(results);
}

std::string full_table(const Results& results, bool all_rows) {
  const auto [shown_rows, note] = shown(results, all_rows);
  std::vector<std::vector<std::string>> rows{
      {"case", "tier", "time", "spread", "rate", "of ceiling", "check"}};
  const bool energy = std::any_of(shown_rows.begin(), shown_rows.end(),
                                  [](const RowResult* c) { return c->energy.has_value(); });
  if (energy) rows.front().insert(rows.front().end() - 1, "joules");
  for (const auto* row : shown_rows) {
    const auto& c = *row;
    const bool timed = !c.samples.real_ns.empty();
    const auto [check, why] = judgement(c);
    rows.push_back({c.name(), name_of(c.tier), timed ? readable_time(c.median_ns()) : "",
                    timed ? spread(c.samples.real_ns, doubt_letters(results, c)) : "",
                    timed ? rate(c) : "", of_ceiling(c, true),
                    why.empty() ? check : check + ": " + why});
    if (energy) rows.back().insert(rows.back().end() - 1, joules_of(c));
  }
  return aligned(rows) + note + doubt_notes(results) + energy_notes(results);
}

}  // namespace parallax
