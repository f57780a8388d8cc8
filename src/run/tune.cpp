// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/tune.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "measure/ceilings/machine_cache.hpp"
#include "platform/base/error.hpp"
#include "platform/base/numbers.hpp"
#include "platform/base/statistics.hpp"
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
std::vector<std::string> judge(const Search& search, const Results& results) {
  std::vector<Tried> tried;
  const RowResult* own = nullptr;
  for (const auto& values : search.sets) {
    const auto rows = rows_of(results, with_values(search.of, values));
    if (rows.size() < rounds) return {};
    if (own == nullptr) own = rows.front();
    Tried one{values, {}};
    // The team that the variant takes by itself is no other value.
    const bool another = values != Values{{"team_size", std::int64_t{own->team_size}}};
    if (another && std::all_of(rows.begin(), rows.end(), [](auto* r) { return r->verified(); }))
      for (const auto* r : rows)
        one.ns.insert(one.ns.end(), r->samples.real_ns.begin(), r->samples.real_ns.end());
    tried.push_back(std::move(one));
  }
  if (tried.front().ns.empty()) return {};
  const auto& best = tried[best_of(tried)];
  const Choice choice{search.of, best.values, median(best.ns), median(tried.front().ns)};
  keep(choice);
  const auto text = [&](const Values& values) {
    return text_of(values, search.sets.back(), *own, search.of);
  };
  return {own->name(),
          text(best.values),
          readable_time(choice.ns),
          text({}),
          readable_time(choice.own_ns),
          best.values.empty() ? "none is clear" : fixed(choice.own_ns / choice.ns, 2)};
}

}  // namespace

std::size_t best_of(const std::vector<Tried>& tried) {
  const auto own = median_interval(tried.front().ns);
  std::size_t best = 0;
  for (std::size_t k = 1; own && k < tried.size(); ++k) {
    const auto interval = median_interval(tried[k].ns);
    if (interval && interval->high < own->low && median(tried[k].ns) < median(tried[best].ns))
      best = k;
  }
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
    std::vector<std::vector<std::string>> lines{{"case", "best", "time", "own", "time", "gain"}};
    for (const auto& search : searches)
      if (auto line = judge(search, results); !line.empty()) lines.push_back(std::move(line));
    std::fputs(aligned(lines).c_str(), stdout);
  });
}

}  // namespace parallax
