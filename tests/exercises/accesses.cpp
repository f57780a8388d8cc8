// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <map>

#include "measure/ceilings/ceilings.hpp"
#include "support/rows.hpp"

using namespace parallax;

namespace {

/// On a machine where any access takes far longer than streams and arithmetic: the ceiling of each
/// row that has one.
std::map<std::string, std::string> ceilings_of(const Plan& plan) {
  Ceilings c;
  c.triad = c.copy = c.read = c.write = c.update = c.fma_f32 = c.fma_f64 = 1e15;
  for (const char* kind : {"random", "atomic"}) c.ladder.accesses[kind] = {{8, 1, true}};
  c.ladder.accesses["atomic_in_order"] = {{8, 2, true}};
  std::map<std::string, std::string> names;
  for (const auto& row : plan.rows)
    if (row.phase == "kernel" && row.unavailable.empty())
      names[row.variant] = bound(c, row.work, "f64").name;
  return names;
}

/// In every space and precision: the one variant's ceiling, and all others'.
void check(const std::string& exercise, const test::Assignments& set, const std::string& variant,
           const std::string& its, const std::string& of_others) {
  test::for_each_instance(exercise, [&](const Exercise& e, const Specialization& instance) {
    for (const auto& [name, ceiling] : ceilings_of(test::plan_of(e, instance, set))) {
      INFO(exercise << "/" << name);
      CHECK(ceiling == (name == variant ? its : of_others));
    }
  });
}

}  // namespace

TEST_CASE("random loads are a part of every gather in random order") {
  for (const char* input : {"random", "negative", "far"})
    check("gather", {{"input", input}}, "wrap", "random", "random");
  for (const char* input : {"course", "in_range"})
    check("gather", {{"input", input}}, "wrap", "triad", "triad");
}

TEST_CASE("atomic additions are a part of the variants that are made of them") {
  check("histogram", {{"distribution", "normal"}}, "global_atomic", "atomic", "read");
  check("histogram", {{"distribution", "one_bin"}}, "global_atomic", "atomic_one", "read");
  check("group_sum", {{"order", "sorted"}}, "atomic", "atomic_in_order", "copy");
  check("ragged_sum", {}, "atomic", "atomic_in_order", "copy");
  check("tree_sum", {}, "atomic", "atomic_one", "read");
}

TEST_CASE("what works in place is held against updates, and what only writes against writes") {
  for (const char* exercise : {"add_one", "increment"})
    check(exercise, {}, "range", "update", "update");
  check("zero_out", {}, "range", "write", "write");
  test::for_each_instance("launch", [](const Exercise& e, const Specialization& instance) {
    for (const auto& row : test::plan_of(e, instance, {}).rows)
      CHECK((!row.unavailable.empty() || row.work.traffic == Traffic::update));
  });
}

TEST_CASE("a shuffled group_sum makes one of four additions at random") {
  test::for_each_instance("group_sum", [](const Exercise& e, const Specialization& instance) {
    const auto plan = test::plan_of(e, instance, {{"n", "1000"}, {"order", "shuffled"}});
    const auto& parts = plan.rows.front().work.accesses;
    REQUIRE(parts.size() == 2);
    CHECK(parts[0].kind == Access::atomic_in_order);
    CHECK(parts[0].count == 4000);
    CHECK(parts[1].kind == Access::atomic);
    CHECK(parts[1].count == 1000);
    CHECK(parts[1].bytes == parts[0].bytes);
  });
}
