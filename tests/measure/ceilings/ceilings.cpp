// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/ceilings/ceilings.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

#include "platform/device/space_info.hpp"

using namespace parallax;

namespace {

Rounds rounds(const std::vector<double>& rates) {
  Rounds all;
  for (const double rate : rates) all.add(rate);
  return all;
}

}  // namespace

TEST_CASE("a ceiling is the best of its rounds, and believed where a second one comes near") {
  CHECK_FALSE(rounds({}).agree());
  CHECK_FALSE(rounds({178}).agree());
  CHECK_FALSE(rounds({26, 178}).agree());
  CHECK(rounds({26, 178}).best() == 178);
  CHECK(rounds({26, 178, 171}).agree());
  CHECK(rounds({178, 26, 31, 171}).agree());
  CHECK_FALSE(rounds({26, 27, 178}).agree());
}

TEST_CASE("rates of floats and doubles that cannot be true of one processor are told") {
  CHECK(is_absurd("fma_f32", 26, 178, true));
  CHECK(is_absurd("fma_f64", 158, 12.8, true));
  CHECK_FALSE(is_absurd("fma_f64", 26, 178, true));
  CHECK_FALSE(is_absurd("fma_f64", 306, 158, true));
  CHECK_FALSE(is_absurd("fma_f32", 306, 158, true));
  CHECK_FALSE(is_absurd("fma_f64", 80e3, 1.3e3, false));  // a GPU for graphics
  CHECK_FALSE(is_absurd("triad", 26, 178, true));
}

TEST_CASE("a round that was interrupted before its first sample gives no ceiling") {
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK(rounds({infinite, std::nan(""), 0}).best() == 0);
  CHECK_FALSE(rounds({infinite, infinite}).agree());
  CHECK_FALSE(rounds({0, 0}).agree());
}

TEST_CASE("a bound says whether its ceiling is to be believed") {
  Ceilings c;
  c.triad = 10e9;
  c.fma_f32 = c.fma_f64 = 100e9;
  c.unsure = {"fma_f32"};
  const Work moving{.bytes = 100, .flops = 10};
  CHECK(bound(c, moving, "f32").name == "triad");
  CHECK(std::abs(bound(c, moving, "f32").least_ns - (10)) < 1e-3);
  CHECK_FALSE(bound(c, moving, "f32").unsure);
  const Work computing{.bytes = 100, .flops = 10000};
  CHECK(bound(c, computing, "f32").name == "fma_f32");
  CHECK(bound(c, computing, "f32").unsure);
  CHECK_FALSE(bound(c, computing, "f64").unsure);
}

TEST_CASE("what has no measured ceiling is set against none") {
  Ceilings c;
  c.fma_f64 = 100e9;  // an interrupt came before the others
  CHECK(bound(c, {.bytes = 100, .flops = 10}, "f64").name.empty());
  CHECK(bound(c, {.bytes = 0, .flops = 10}, "f64").name == "fma_f64");
  CHECK(described(c).find("triad not measured") == 0);
  c.unavailable = "there is too little memory left";
  CHECK(described(c) == "not available: there is too little memory left");
}

namespace {

/// L1 of 1000 and L2 of 10 000 bytes; 1 us a launch; 4 GB/s up to 1000 bytes, 2 GB/s in L2.
Ceilings with_ladder() {
  Ceilings c;
  c.triad = c.copy = c.read = c.write = c.update = 1e9;
  c.fma_f32 = c.fma_f64 = 100e9;
  c.array_bytes = 100'000;
  c.caches = {{1, 1e6, 1}, {2, 10e6, 1}};
  for (const char* kind : ladder_kinds)
    c.ladder.kinds[kind] = {{1e3, 1e9, true}, {1e5, 4e9, true}, {10e6, 2e9, false}};
  c.ladder.launch = {0, 1e6, true};
  return c;
}

}  // namespace

TEST_CASE("a row is held against the level that its arrays lie in") {
  auto c = with_ladder();
  const auto of = [&](double bytes, WorkingSet set) {
    return bound(c, {.bytes = bytes, .traffic = Traffic::read}, "f64", set);
  };
  // On a rung.
  const auto near = of(1e5, {1e5});
  CHECK(near.name == "read");
  CHECK(near.level == "L1");
  CHECK(std::abs(near.least_ns - (1e5 / 4e9 * 1e9)) < 1e-3);
  CHECK_FALSE(near.unsure);
  // Between rungs: the geometric mean of the rates in the middle; one of them is unsure.
  const auto between = of(1e6, {1e6});
  CHECK(std::abs(between.least_ns - 1e6 / (std::sqrt(2.0) * 2e9) * 1e9) < 1);
  CHECK(between.unsure);
  CHECK(of(5e6, {5e6}).level == "L2");
  // Beyond the ladder: this run's own arrays, where they are larger than its last rung.
  c.array_bytes = 1'000'000'000;
  const auto memory = of(2e9, {2e9});
  CHECK(memory.level == "memory");
  CHECK(std::abs(memory.least_ns - (2e9)) < 1e-3);
  c.array_bytes = 100'000;
  CHECK(std::abs(of(2e9, {2e9}).least_ns - (1e9)) < 1e-3);
  // An update moves each byte twice; its rung is the rate of that.
  const Work update{.bytes = 2e5, .traffic = Traffic::update};
  CHECK(bound(c, update, "f64", {1e5}).name == "update");
  CHECK(std::abs(bound(c, update, "f64", {1e5}).least_ns - 2e5 / 4e9 * 1e9) < 1e-3);
  // A row that moves its arrays twice has one launch.
  CHECK(std::abs(of(2e5, {1e5}).least_ns - (1e3 + 2 * (25e3 - 1e3))) < 1e-3);
}

TEST_CASE("no level is slower than a farther one, whatever a launch adds to small working sets") {
  Ceilings c;
  c.triad = 30e9;
  c.read = 20e9;
  c.caches = {{1, 32768, 1}, {2, 1 << 20, 1}};
  c.ladder.kinds["triad"] = {{16384, 2e9, true}, {1 << 20, 25e9, true}};
  c.ladder.kinds["read"] = {{16384, 2e9, true}, {1 << 20, 40e9, true}};
  const auto levels = by_level(c);
  REQUIRE(levels.size() == 2);
  CHECK(levels[0].best.at("triad") == 30e9);
  CHECK(levels[1].best.at("triad") == 30e9);
  CHECK(levels[0].best.at("read") == 40e9);
  CHECK(levels[1].best.at("read") == 40e9);
}

TEST_CASE("a cold row is held against memory, whatever its arrays would fit") {
  auto c = with_ladder();
  const Work work{.bytes = 1e5, .traffic = Traffic::read};
  CHECK(bound(c, work, "f64", {1e5, true}).level == "memory");
  CHECK(std::abs(bound(c, work, "f64", {1e5, true}).least_ns - (1e5 / 2e9 * 1e9)) < 1e-3);
  c.array_bytes = 1'000'000'000;
  CHECK(std::abs(bound(c, work, "f64", {1e5, true}).least_ns - (1e5 / 1e9 * 1e9)) < 1e-3);
}

TEST_CASE("where a launch is most of the least time, it is the ceiling") {
  const auto c = with_ladder();
  const Work tiny{.bytes = 100, .traffic = Traffic::read};
  CHECK(bound(c, tiny, "f64", {100}).name == "launch");
  CHECK(std::abs(bound(c, tiny, "f64", {100}).least_ns - (1000)) < 1e-3);
  CHECK(bound(c, tiny, "f64", {100}).level.empty());
  // Computing takes longer than the launch.
  CHECK(bound(c, {.bytes = 100, .flops = 1e6}, "f64", {100}).name == "fma_f64");
  // What crosses the bus, or moves nothing, has no such ceiling.
  CHECK(bound(c, {.bytes = 100, .traffic = Traffic::bus}, "f64", {}).name.empty());
  CHECK(bound(c, {.bytes = 0, .flops = 10}, "f64", {}).name == "fma_f64");
}

TEST_CASE("without a ladder or a working set a row is held against the arrays of the run") {
  auto c = with_ladder();
  const Work work{.bytes = 1e5, .traffic = Traffic::read};
  CHECK(std::abs(bound(c, work, "f64").least_ns - (1e5)) < 1e-3);
  CHECK(bound(c, work, "f64").level.empty());
  c.ladder = {};
  CHECK(std::abs(bound(c, work, "f64", {1e5}).least_ns - (1e5)) < 1e-3);
}

TEST_CASE("every ceiling of a space is measured, finite, and fits") {
  const auto c = measure_ceilings(space_names().front(), Scale::cache);
  REQUIRE(c.measured());
  for (const auto& field : ceiling_fields) {
    INFO(field.name);
    CHECK(c.*field.value > 0);
    CHECK(std::isfinite(c.*field.value));
  }
  CHECK(static_cast<double>(3 * c.array_bytes) < describe_space(c.space).memory_total);
}
