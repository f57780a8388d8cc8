// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Runs every variant that has teams several times, with several threads in a team: a missing
// barrier or a lost update shows only now and then. tests/mutation and ThreadSanitizer look harder.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "measure/verify/trial.hpp"
#include "support/rows.hpp"

namespace {

using namespace parallax;

/// Whether the row is right each time; says when it was not.
void verify_often(const Row& row) {
  for (int k = 0; k < 5; ++k) {
    const auto verdict = verify(row);
    INFO(row.variant << " " << row.phase << " with teams of " << row.team_size << ", run " << k
                     << ": " << verdict.compared);
    REQUIRE(verdict.passed);
  }
}

}  // namespace

TEST_CASE("rows with teams are right with several threads in a team, in every run") {
  for (const auto& exercise : exercises()) {
    DYNAMIC_SECTION(exercise.name) {
      test::for_each_instance(exercise.name, [](const Exercise& e, const Specialization& instance) {
        // Some teams of whole blocks, and one of less.
        const bool has_n = std::any_of(e.parameters.begin(), e.parameters.end(),
                                       [](const Parameter& p) { return p.name == "n"; });
        const bool square = e.name == "matmul" || e.name == "integration2d";
        const test::Assignments small{{"n", square ? "31" : "5003"}};
        const auto set = has_n ? small : test::Assignments{};
        const int size = std::min(4, test::largest_team(instance.space));
        for (const auto& row : test::plan_of(e, instance, set, size).rows)
          if (row.team_size == size && row.unavailable.empty() && !row.expected_to_fail)
            verify_often(row);
      });
    }
  }
}
