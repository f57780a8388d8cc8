// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "support/rows.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "measure/verify/trial.hpp"
#include "platform/device/space_info.hpp"

namespace parallax::test {

Plan plan_of(const Exercise& exercise, const Specialization& instance, const Assignments& set,
             int team_size) {
  Parameters parameters(exercise.parameters, Size::tiny, runs_on_host(instance.space), 12345);
  for (const auto& [name, text] : set)
    parameters.replace(name, read(parameters.specification(name), text));
  if (parameters.has("team_size")) parameters.replace("team_size", std::int64_t{team_size});
  if (instance.refuse) instance.refuse(parameters);
  return instance.plan(parameters);
}

void for_each_instance(const std::string& exercise,
                       const std::function<void(const Exercise&, const Specialization&)>& f) {
  const auto& e = find_exercise(exercise);
  REQUIRE_FALSE(e.specializations.empty());
  for (const auto& instance : e.specializations) {
    INFO(e.name << " in " << instance.space << " with " << instance.precision);
    f(e, instance);
  }
}

namespace {

/// Runs and checks the rows that can run here, or those that have teams; returns how many.
int verify_rows(const Plan& plan, bool with_teams) {
  int run = 0;
  for (const auto& row : plan.rows) {
    if (!row.unavailable.empty() || row.expected_to_fail) continue;
    if (with_teams && row.team_size == 0) continue;
    const auto verdict = verify(row);
    INFO(row.variant << " " << row.phase << " with teams of " << row.team_size << ": "
                     << verdict.compared << ", error " << verdict.error << ", tolerance "
                     << verdict.tolerance);
    CHECK(verdict.passed);
    ++run;
  }
  return run;
}

}  // namespace

void verify_everywhere(const std::string& exercise, const std::vector<Assignments>& sets) {
  for_each_instance(exercise, [&](const Exercise& e, const Specialization& instance) {
    for (const auto& set : sets) {
      std::string text;
      for (const auto& [name, value] : set) text += name + "=" + value + " ";
      INFO(text);
      CHECK(verify_rows(plan_of(e, instance, set), false) > 0);
      const bool teams = std::any_of(e.variants.begin(), e.variants.end(),
                                     [](const Variant& v) { return v.teams; });
      const int odd = std::min(3, largest_team(instance.space));
      if (teams && odd > 1) verify_rows(plan_of(e, instance, set, odd), true);
    }
  });
}

void require_wrong_in_float(const std::string& exercise) {
  for_each_instance(exercise, [](const Exercise& e, const Specialization& instance) {
    if (instance.precision != "f64") return;
    for (const auto& row : plan_of(e, instance).rows) {
      if (!row.unavailable.empty()) continue;
      INFO(row.variant);
      REQUIRE(verify(row).passed);
      const auto& output = row.judge.outputs.at(0);
      auto found = output.read();
      for (auto& x : found) x = static_cast<float>(x);
      output.write(found);
      CHECK_FALSE(row.judge.check().passed);
    }
  });
}

Values result_of(const std::string& exercise, const std::string& variant, const Assignments& set,
                 const std::string& precision) {
  const auto& e = find_exercise(exercise);
  for (const auto& instance : e.specializations) {
    if (!precision.empty() && instance.precision != precision) continue;
    for (const auto& row : plan_of(e, instance, set).rows) {
      if (row.variant != variant) continue;
      const auto verdict = verify(row);
      INFO(verdict.compared);
      CHECK(verdict.passed);
      return verdict.result;
    }
  }
  FAIL("no row " << variant << " of " << exercise);
  return {};
}

double number(const Values& values, const std::string& name) {
  for (const auto& [key, value] : values) {
    if (key != name) continue;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value)) return *real;
  }
  FAIL("the result has no number " << name);
  return std::nan("");
}

}  // namespace parallax::test
