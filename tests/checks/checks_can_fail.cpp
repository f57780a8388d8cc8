// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Proves, for every row of every exercise, that its check refuses a damaged result: a kernel that
// wrote nothing, a wrong last element, two elements swapped, one update lost, a NaN. A new exercise
// is covered by being registered.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "measure/verify/trial.hpp"
#include "support/rows.hpp"

namespace {

using namespace parallax;
using Elements = std::vector<long double>;

/// Writes `damaged` into the output, and requires that the check sees it; then puts the right
/// result back.
void require_refused(const Row& row, const Output& output, const Elements& right,
                     const Elements& damaged, const char* damage) {
  INFO(row.variant << " " << row.phase << ", output " << output.name << ": " << damage);
  output.write(damaged);
  CHECK_FALSE(row.judge.check().passed);
  output.write(right);
}

/// The pair of neighbours that differ most, so that swapping them is no accident of equal values.
std::size_t steepest(const Elements& x) {
  std::size_t at = 0;
  long double most = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const long double step = x[i] > x[i + 1] ? x[i] - x[i + 1] : x[i + 1] - x[i];
    if (step > most) {
      most = step;
      at = i;
    }
  }
  return most > 0 ? at : x.size();
}

void damage(const Row& row, const Output& output) {
  const auto right = output.read();
  REQUIRE_FALSE(right.empty());

  auto last_wrong = right;
  last_wrong.back() += 1 + (right.back() < 0 ? -right.back() : right.back());
  require_refused(row, output, right, last_wrong, "the last element wrong");

  auto invalid = right;
  invalid[right.size() / 2] =
      output.floating ? std::numeric_limits<long double>::quiet_NaN() : -1.0L;
  require_refused(row, output, right, invalid,
                  output.floating ? "a NaN" : "an element not written");

  if (const auto k = steepest(right); k < right.size()) {
    auto swapped = right;
    std::swap(swapped[k], swapped[k + 1]);
    require_refused(row, output, right, swapped, "two elements swapped");
  }
  if (output.one_update > 0) {
    auto lost = right;
    lost[right.size() / 2] -= output.one_update;
    require_refused(row, output, right, lost, "one update lost");
  }
}

void prove(const Row& row) {
  INFO(row.variant << " " << row.phase);
  REQUIRE_FALSE(row.judge.outputs.empty());
  // A kernel that does nothing leaves the poison.
  if (row.prepare) row.prepare();
  for (const auto& output : row.judge.outputs) output.poison();
  CHECK_FALSE(row.judge.check().passed);

  const auto verdict = verify(row);
  INFO(verdict.compared);
  REQUIRE(verdict.passed);
  for (const auto& output : row.judge.outputs) damage(row, output);
  // The damage was undone each time, so what was refused was the damage.
  CHECK(row.judge.check().passed);
}

/// The tiny parameters, and others with giants, whose check might tolerate more.
std::vector<test::Assignments> sets_of(const std::string& exercise) {
  static const std::map<std::string, std::vector<test::Assignments>> giants{
      {"dilepton_mass", {{{"n", "31"}, {"giant_event", "1500"}}}},
      {"group_sum",
       {{{"n", "1000000"}, {"mean", "0"}}, {{"order", "shuffled"}, {"mean", "0.001"}}}},
      {"ragged_sum", {{{"n", "3"}, {"giants", "3"}, {"giant", "1000000"}}}}};
  std::vector<test::Assignments> sets{{}};
  if (const auto found = giants.find(exercise); found != giants.end())
    sets.insert(sets.end(), found->second.begin(), found->second.end());
  return sets;
}

}  // namespace

TEST_CASE("every check of every exercise can fail") {
  REQUIRE_FALSE(exercises().empty());
  for (const auto& exercise : exercises()) {
    DYNAMIC_SECTION(exercise.name) {
      test::for_each_instance(exercise.name, [](const Exercise& e, const Specialization& instance) {
        for (const auto& set : sets_of(e.name))
          for (const auto& row : test::plan_of(e, instance, set).rows)
            if (row.unavailable.empty() && !row.expected_to_fail) prove(row);
      });
    }
  }
}

TEST_CASE("rows name variants that the exercise declares, and every variant has a row") {
  for (const auto& exercise : exercises()) {
    test::for_each_instance(exercise.name, [](const Exercise& e, const Specialization& instance) {
      const auto plan = test::plan_of(e, instance);
      for (const auto& row : plan.rows) {
        bool declared = false;
        for (const auto& v : e.variants) declared = declared || v.name == row.variant;
        INFO(row.variant);
        CHECK(declared);
      }
      for (const auto& v : e.variants) {
        bool has_row = false;
        for (const auto& row : plan.rows) has_row = has_row || row.variant == v.name;
        INFO(v.name);
        CHECK(has_row);
      }
    });
  }
}

TEST_CASE("rows with teams take the size that was asked for, others say that they have none") {
  for (const auto& exercise : exercises()) {
    test::for_each_instance(exercise.name, [](const Exercise& e, const Specialization& instance) {
      const int size = std::min(2, test::largest_team(instance.space));
      for (const auto& row : test::plan_of(e, instance, {}, size).rows) {
        const auto variant = std::find_if(e.variants.begin(), e.variants.end(),
                                          [&](const Variant& v) { return v.name == row.variant; });
        INFO(row.variant << " " << row.phase);
        REQUIRE(variant != e.variants.end());
        if (row.phase != "kernel" || !row.unavailable.empty()) continue;
        if (variant->teams) CHECK(row.team_size == size);
        if (!variant->teams && variant->tier == Tier::lesson) CHECK(row.team_size == 0);
      }
    });
  }
}

TEST_CASE("every number in an exercise's answer is in the verdict of a row") {
  for (const auto& e : exercises()) {
    INFO(e.name);
    CHECK(e.answer.find('{') != std::string::npos);
    std::vector<test::Assignments> sets{{}};
    if (e.name == "heat") sets.push_back({{"start", "eigenmode"}});
    std::string found;
    // Of a file of events: tests/events/test_convert.py reads that part.
    if (e.name == "dilepton_mass") found = "{leptons}{unusable_leptons}";
    for (const auto& set : sets)
      for (const auto& row : test::plan_of(e, e.specializations.front(), set).rows)
        if (row.unavailable.empty() && !row.expected_to_fail)
          for (const auto& [name, value] : try_once(row).verdict.result) found += "{" + name + "}";
    for (auto at = e.answer.find('{'); at != std::string::npos; at = e.answer.find('{', at + 1)) {
      const auto name = e.answer.substr(at, e.answer.find('}', at) + 1 - at);
      INFO(name);
      CHECK(found.find(name) != std::string::npos);
    }
  }
}

TEST_CASE("every exercise but transfer has a lesson that stages data in scratch memory") {
  for (const auto& e : exercises()) {
    INFO(e.name);
    const bool there = std::any_of(e.variants.begin(), e.variants.end(), [](const Variant& v) {
      return v.name == "team_scratch" && v.tier == Tier::lesson && v.teams;
    });
    CHECK(there == (e.name != "transfer"));
  }
}

TEST_CASE("every row launches kernels that are labelled with its exercise") {
  // Algorithms that exercises share, under their own names.
  static const std::map<std::string, std::vector<std::string>> shared{
      {"circle_area", {"xoroshiro"}},
      {"group_sum", {"radix_sort"}},
      {"row_sum", {"random"}},
      {"transfer", {"staging"}},
      {"uniform_sort", {"radix_sort", "sample_sort", "random"}},
      {"vector_add", {"staging"}}};
  const auto begins = [](const std::string& label, const std::string& with) {
    return label.rfind(with, 0) == 0;
  };
  for (const auto& exercise : exercises()) {
    test::for_each_instance(exercise.name, [&](const Exercise& e, const Specialization& instance) {
      std::vector<std::string> names{e.name};
      if (const auto more = shared.find(e.name); more != shared.end())
        names.insert(names.end(), more->second.begin(), more->second.end());
      const auto plan = test::plan_of(e, instance);
      for (const auto& row : plan.rows) {
        if (!row.unavailable.empty()) continue;
        if (row.prepare) row.prepare();
        bool launched = false;
        for (const auto& label : test::labels_of(row.run)) {
          const bool own = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
            return begins(label, "parallax::" + name + "::");
          });
          INFO(row.variant << " launches '" << label << "'");
          // Kokkos and Kokkos Kernels label their own.
          CHECK((own || begins(label, "Kokkos")));
          launched = launched || own;
        }
        const auto variant = std::find_if(e.variants.begin(), e.variants.end(),
                                          [&](const Variant& v) { return v.name == row.variant; });
        REQUIRE(variant != e.variants.end());
        INFO(row.variant << " " << row.phase);
        // A copy is Kokkos's own, a library's routine the library's; states may be made on the
        // host. Of the kernels of a graph Kokkos tells no tool.
        if (e.name != "transfer" && row.phase != "generate" && row.variant != "graph" &&
            variant->tier != Tier::library)
          CHECK(launched);
      }
    });
  }
}
