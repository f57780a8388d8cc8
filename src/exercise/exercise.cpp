// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/exercise.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "platform/base/error.hpp"
#include "platform/device/space_info.hpp"

namespace parallax {
namespace {

/// Written while static objects are made, and emptied when the list is first read.
std::vector<Exercise>& registered() {
  static std::vector<Exercise> all;
  return all;
}

}  // namespace

Verdict Verdict::with(const Values& values) && {
  result.insert(result.end(), values.begin(), values.end());
  return std::move(*this);
}

Check::Check(std::function<Verdict()> judge)
    : judge_(std::move(judge)), passed_(std::make_shared<std::vector<Passed>>()) {}

const Verdict* Check::known(const std::vector<std::uint64_t>& hashes) const {
  for (const auto& passed : *passed_)
    if (passed.hashes == hashes) return &passed.verdict;
  return nullptr;
}

void Check::remember(std::vector<std::uint64_t> hashes, const Verdict& verdict) const {
  if (verdict.passed) passed_->push_back({std::move(hashes), verdict});
}

Plan watched(Plan plan, const std::shared_ptr<const std::vector<guard_zones::Array>>& arrays) {
  for (auto& row : plan.rows) row.arrays = arrays;
  return plan;
}

Variant lesson(std::string name, std::string summary) {
  return {std::move(name), std::move(summary)};
}
Variant lesson_with_teams(std::string name, std::string summary) {
  return {.name = std::move(name), .summary = std::move(summary), .teams = true};
}
Variant tuned(std::string name, std::string summary, std::vector<Series> tunes) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .tier = Tier::tuned,
          .tunes = std::move(tunes)};
}
Variant tuned_with_teams(std::string name, std::string summary) {
  return {
      .name = std::move(name), .summary = std::move(summary), .tier = Tier::tuned, .teams = true};
}
Variant library(std::string name, std::string summary) {
  return {.name = std::move(name), .summary = std::move(summary), .tier = Tier::library};
}

Judge alike(const Judge& like, Judge judge) {
  judge.check.share(like.check);
  return judge;
}

Work with_atomics(Work work, const Accesses& atomics) {
  work.accesses.push_back(atomics);
  return work;
}

Work crossing(const Crossing& bytes) {
  return {.bytes = bytes.in + bytes.out,
          .traffic = Traffic::bus,
          .accesses = {{Access::h2d, 1, bytes.in}, {Access::d2h, 1, bytes.out}}};
}

Row end_to_end_row(const Row& kernel, const Crossing& bytes, const Judge& judge,
                   const std::function<void()>& run) {
  Row row{.variant = kernel.variant, .phase = "end_to_end", .work = crossing(bytes)};
  row.work.flops = kernel.work.flops;
  row.work.items = kernel.work.items;
  row.work.messages = kernel.work.messages;
  if (run) {
    row.judge = judge;
    row.run = run;
    row.expected_to_fail = kernel.expected_to_fail;
  } else {
    row.unavailable = "the data is in the host's memory already";
  }
  return row;
}

const char* name_of(Access access) {
  switch (access) {
    case Access::atomic: return "atomic";
    case Access::atomic_in_order: return "atomic_in_order";
    case Access::h2d: return "h2d";
    case Access::d2h: return "d2h";
    default: return "random";
  }
}

const char* name_of(Tier tier) {
  switch (tier) {
    case Tier::tuned: return "tuned";
    case Tier::library: return "library";
    default: return "lesson";
  }
}

std::function<void(Parameters&)> elements_of(const std::string& parameter) {
  return [parameter](Parameters& p) { p.take(parameter, p.division().of(p.integer(parameter))); };
}

std::function<void(Parameters&)> streams_of(const std::string& trials, const std::string& streams) {
  return [=](Parameters& p) {
    const auto& division = p.division();
    const auto mine = division.of(p.integer(streams));
    if (mine.total < division.ranks)
      throw UsageError(streams + "=" + std::to_string(mine.total) + " is less than the " +
                       std::to_string(division.ranks) + " ranks, which need a stream each");
    // The first streams have one trial more, as in a run of one rank.
    const auto total = division.of(p.integer(trials)).total;
    const auto each = total / mine.total, more = total % mine.total;
    const auto with_more = std::clamp(more - mine.begin, std::int64_t{0}, mine.count);
    p.take(streams, mine);
    p.take(trials,
           {each * mine.begin + std::min(mine.begin, more), each * mine.count + with_more, total});
  };
}

const std::vector<Exercise>& exercises() {
  // Static objects are made in no order that one can rely on.
  static const std::vector<Exercise> sorted = [] {
    auto all = std::move(registered());
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    for (auto& e : all) {
      std::sort(e.specializations.begin(), e.specializations.end(),
                [](const auto& a, const auto& b) { return a.place < b.place; });
      append_run_parameters(e);
    }
    return all;
  }();
  return sorted;
}

bool register_exercise(Exercise exercise) {
  auto& all = registered();
  const auto unit = std::find_if(all.begin(), all.end(),
                                 [&](const auto& other) { return other.name == exercise.name; });
  if (unit == all.end())
    all.push_back(std::move(exercise));
  else
    std::move(exercise.specializations.begin(), exercise.specializations.end(),
              std::back_inserter(unit->specializations));
  return true;
}

void append_run_parameters(Exercise& exercise) {
  const auto append = [&](Parameter p, Parameter::Role role) {
    p.role = role;
    exercise.parameters.push_back(std::move(p));
  };
  constexpr std::int64_t most = 1'000'000;
  if (std::any_of(exercise.variants.begin(), exercise.variants.end(),
                  [](const Variant& v) { return v.teams; })) {
    auto p = integer("team_size", "threads of a team, in variants with teams", 0, 1, most);
    p.automatic = "auto";
    append(p, Parameter::Role::team_size);
  }
  auto p = integer("threads", "threads of the space", 0, 1, most);
  for (const auto& i : exercise.specializations)
    if (takes_a_number_of_threads(i.space)) p.spaces.push_back(i.space);
  const bool own = std::any_of(exercise.parameters.begin(), exercise.parameters.end(),
                               [&](const Parameter& other) { return other.name == p.name; });
  if (!own && !p.spaces.empty()) append(p, Parameter::Role::threads);
}

const Exercise& find_exercise(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& e : exercises()) {
    if (e.name == name) return e;
    known.push_back(e.name);
  }
  throw UsageError("unknown exercise '" + name + "'" + suggestion(name, known));
}

std::vector<std::string> precisions(const Exercise& exercise) {
  std::vector<std::string> names;
  for (const auto& i : exercise.specializations)
    if (std::find(names.begin(), names.end(), i.precision) == names.end())
      names.push_back(i.precision);
  return names;
}

}  // namespace parallax
