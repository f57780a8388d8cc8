// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/results/doubts.hpp"

#include <algorithm>
#include <utility>

#include "platform/base/error.hpp"
#include "platform/base/numbers.hpp"
#include "platform/base/units.hpp"

namespace parallax {
namespace {

constexpr double full_clock = 0.9, most_percent = 150;
constexpr std::size_t rows_shown = 3;

constexpr std::pair<char, const char*> meanings[] = {
    {'d', "other work disturbed the samples"},
    {'c', "the clock was below 90 % of the best in this run"},
    {'t', "the device held its clock down"},
    {'f', "more than 150 % of the ceiling, which is too fast for the work"},
};

}  // namespace

double best_mhz(const Results& results, const RowResult& row) {
  double best = 0;
  for (const auto& other : results.cases)
    if (other.state.clock && other.space == row.space && other.threads == row.threads)
      best = std::max(best, other.state.clock->mhz);
  return best;
}

std::string above_ceiling(const RowResult& row) {
  using Kind = Bound::Kind;
  const auto& bound = row.bound;
  const double percent = row.percent_of_ceiling();
  // Where the arrays are is not known without caches.
  const bool sure = !bound.unsure && !(bound.kind == Kind::bandwidth && bound.level.empty());
  const bool other_units = row.tier == Tier::library && bound.kind == Kind::arithmetic;
  if (!sure || other_units || row.other_work || !(percent > most_percent)) return "";
  return three_digits(percent) + " % of " + label_of(bound);
}

std::vector<Doubt> doubts(const Results& results, const RowResult& row) {
  std::vector<Doubt> found;
  if (!row.state.disturbed.empty())
    found.push_back(
        {'d', row.state.disturbed + (row.state.sampled_twice ? "; sampled twice" : "")});
  const double best = best_mhz(results, row);
  if (row.state.clock && row.state.clock->mhz < full_clock * best)
    found.push_back({'c', fixed(row.state.clock->mhz, 0) + " of " + fixed(best, 0) + " MHz"});
  const auto& power = row.state.power;
  if (power && power->throttled && !power->throttled->empty())
    found.push_back({'t', joined(*power->throttled)});
  if (const auto why = above_ceiling(row); !why.empty()) found.push_back({'f', why});
  return found;
}

std::string doubt_letters(const Results& results, const RowResult& row) {
  std::string letters;
  for (const auto& doubt : doubts(results, row)) letters += doubt.letter;
  return letters;
}

std::string doubt_notes(const Results& results, bool with_rows) {
  std::string text;
  for (const auto& [letter, meaning] : meanings) {
    std::size_t rows = 0;
    std::string shown;
    for (const auto& row : results.cases)
      for (const auto& doubt : doubts(results, row))
        if (doubt.letter == letter && ++rows <= rows_shown)
          shown += "   " + row.name() + ": " + doubt.why + "\n";
    if (rows == 0) continue;
    text += std::string(1, letter) + ": " + meaning + ", in " + std::to_string(rows) +
            (rows == 1 ? " row" : " rows") + (with_rows ? "\n" + shown : " (--verbose)\n");
    if (with_rows && rows > rows_shown)
      text += "   and " + std::to_string(rows - rows_shown) + " more: --json says why\n";
  }
  return text;
}

}  // namespace parallax
