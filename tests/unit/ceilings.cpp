// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "harness/ceilings.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

#include "harness/device.hpp"

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
  CHECK(bound(c, moving, "f32").least_ns == 10);
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
