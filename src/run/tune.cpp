// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/tune.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "measure/ceilings/machine_cache.hpp"
#include "platform/base/error.hpp"
#include "platform/base/numbers.hpp"
#include "platform/base/units.hpp"
#include "run/cases/tuned_cases.hpp"
#include "run/results/results.hpp"
#include "run/run.hpp"

namespace parallax {
namespace {

/// Each value is measured twice, with all others in between. What changes meanwhile (other work on
/// the machine, where arrays are) then widens its interval, and is not taken for a gain.
constexpr std::size_t rounds = 2;

/// A case of one variant, and what is tried with it.
struct Search {
  Case of;
  std::vector<Values> sets;
};

/// The rows of this case's one variant, one for each round that is done: of its kernel, where it
/// has such a row.
std::vector<const RowResult*> rows_of(const Results& results, const Case& c) {
  std::vector<const RowResult*> rows;
  bool kernel = false;
  for (const auto& r : results.cases) {
    if (r.exercise != c.exercise->name || r.variant != c.variants.front() ||
        r.space != c.specialization->space || r.precision != c.specialization->precision ||
        r.suffix != c.suffix)
      continue;
    rows.push_back(&r);
    kernel = kernel || r.phase == "kernel";
  }
  std::erase_if(rows, [phase = kernel         ? "kernel"
                               : rows.empty() ? ""
                                              : rows.front()->phase](const RowResult* r) {
    return r->phase != phase;
  });
  return rows;
}

/// "team_size=64"; of a variant's own values, only the parameters that `others` sets.
std::string text_of(const Values& values, const Values& others, const RowResult& own,
                    const Case& c) {
  std::string text;
  for (const auto& [name, value] : values.empty() ? others : values) {
    const auto& p = c.parameters.specification(name);
    const auto own_value = p.role == Parameter::Role::team_size ? std::int64_t{own.team_size}
                                                                : c.parameters.value(name);
    text += (text.empty() ? "" : " ") + name + "=" +
            parallax::text_of(p, values.empty() ? own_value : value);
  }
  return text;
}

/// Finds and keeps the best of a search. Returns its line of the table; nothing where it was not
/// finished, or where the variant is wrong or not available with its own values.
std::vector<std::string> judge(const Search& search, const Results& results, bool energy) {
  std::vector<Tried> tried;
  const RowResult* own = nullptr;
  for (const auto& values : search.sets) {
    const auto rows = rows_of(results, with_values(search.of, values));
    if (rows.size() < rounds) return {};
    if (own == nullptr) own = rows.front();
    std::vector<double> ns;
    std::vector<RowEnergy> joules;
    // The team that the variant takes by itself is no other value.
    const bool another = values != Values{{"team_size", std::int64_t{own->team_size}}};
    if (another && std::all_of(rows.begin(), rows.end(), [](auto* r) { return r->verified(); }))
      for (const auto* r : rows) {
        ns.insert(ns.end(), r->samples.real_ns.begin(), r->samples.real_ns.end());
        if (r->energy) joules.push_back(*r->energy);
      }
    tried.push_back(energy ? by_energy(values, joules) : by_time(values, ns));
    const auto uncounted = std::find_if(rows.begin(), rows.end(), [](const RowResult* r) {
      return r->energy && !r->energy->missing.empty();
    });
    if (uncounted != rows.end())
      std::fprintf(stderr, "parallax: %s: no joules: %s\n", one_line((*uncounted)->name()).c_str(),
                   one_line((*uncounted)->energy->missing).c_str());
  }
  if (!tried.front().took) return {};
  const auto& best = tried[best_of(tried)];
  const Choice choice{search.of, best.values, *best.took, *tried.front().took, energy};
  keep(choice);
  const auto readable = energy ? readable_joules : readable_time;
  const auto text = [&](const Values& values) {
    return text_of(values, search.sets.back(), *own, search.of);
  };
  return {own->name(),
          text(best.values),
          readable(choice.took),
          text({}),
          readable(choice.own_took),
          best.values.empty() ? "none is clear" : fixed(choice.own_took / choice.took, 2)};
}

}  // namespace

Tried by_time(const Values& values, const std::vector<double>& ns) {
  if (ns.empty()) return {values, {}, {}};
  return {values, median(ns), median_interval(ns)};
}

Tried by_energy(const Values& values, const std::vector<RowEnergy>& rounds) {
  if (rounds.empty()) return {values, {}, {}};
  double sum = 0;
  std::optional<Interval> all = Interval{1e300, 0};
  for (const auto& round : rounds) {
    if (!round.missing.empty()) return {values, {}, {}};
    const auto total = round.total();
    sum += total.joules;
    if (all && total.interval)
      all = {std::min(all->low, total.interval->low), std::max(all->high, total.interval->high)};
    else
      all.reset();
  }
  return {values, sum / static_cast<double>(rounds.size()), all};
}

std::size_t best_of(const std::vector<Tried>& tried) {
  const auto& own = tried.front().interval;
  std::size_t best = 0;
  for (std::size_t k = 1; own && k < tried.size(); ++k)
    if (tried[k].interval && tried[k].interval->high < own->low &&
        *tried[k].took < *tried[best].took)
      best = k;
  return best;
}

int tune(const std::vector<Case>& cases, const RunOptions& options) {
  std::vector<Search> searches;
  for (const auto& c : cases)
    for (const auto& variant : c.variants) {
      Case one = c;
      one.variants = {variant};
      if (auto sets = values_to_try(one); !sets.empty()) searches.push_back({one, std::move(sets)});
    }
  if (searches.empty())
    throw UsageError("--tune: there is no choice here: teams have one thread at most");
  std::vector<Case> runs;
  for (const auto& search : searches) {
    require_cache("tuned", describe_space(search.of.specialization->space));
    for (std::size_t round = 0; round < rounds; ++round)
      for (const auto& values : search.sets) runs.push_back(with_values(search.of, values));
  }
  RunOptions without_ceilings = options;
  without_ceilings.no_ceilings = true;
  return run_cases(runs, without_ceilings, [&](const Results& results) {
    for (const auto& r : results.cases)
      if (r.failed())
        std::fprintf(stderr, "parallax: %s: FAILED: %s\n", one_line(r.name()).c_str(),
                     one_line(r.verdict->compared).c_str());
    const std::string unit = options.energy ? "joules" : "time";
    std::vector<std::vector<std::string>> lines{{"case", "best", unit, "own", unit, "gain"}};
    for (const auto& search : searches)
      if (auto line = judge(search, results, options.energy); !line.empty())
        lines.push_back(std::move(line));
    std::fputs(aligned(lines).c_str(), stdout);
  });
}

}  // namespace parallax
