// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>

#include "circle_area/tuned.hpp"
#include "platform/device/spaces.hpp"
#include "support/rows.hpp"

using namespace parallax;

namespace {

template <class Space>
std::int64_t hits(const std::string& variant, std::int64_t trials, std::int64_t threads,
                  int times = 1) {
  const Space space;
  const Kokkos::View<std::int64_t, typename Space::memory_space> to("hits");
  const auto states = random::make_xoroshiro_states(space, 12345, threads);
  std::int64_t sum = 0;
  for (int k = 0; k < times; ++k) {
    if (variant == "xoroshiro") kernels::circle_area::xoroshiro(space, states, trials, to);
    if (variant == "xoroshiro_wide")
      kernels::circle_area::xoroshiro_wide(space, states, trials, to);
    if (variant == "team_scratch") kernels::circle_area::team_scratch(space, 1, states, trials, to);
    if (variant == "philox") kernels::circle_area::philox(space, 12345, trials, to);
    if (variant == "philox_wide")
      kernels::circle_area::philox_wide(space, 12345, trials, threads, to);
    std::int64_t found = 0;
    Kokkos::deep_copy(found, to);
    sum += found;
  }
  return sum;
}

constexpr std::int64_t mebi = std::int64_t{1} << 20;

}  // namespace

TEST_CASE("circle_area is right for odd sizes in every space") {
  test::verify_everywhere("circle_area", {{{"trials", "1"}, {"threads", "1"}},
                                          {{"trials", "1"}, {"threads", "1009"}},
                                          {{"trials", "2"}, {"threads", "3"}},
                                          {{"trials", "1009"}, {"threads", "1"}},
                                          {{"trials", "1009"}, {"threads", "127"}},
                                          {{"trials", "1008"}, {"threads", "16"}},
                                          {{"trials", "4097"}, {"threads", "4097"}},
                                          {{"trials", "5000"}, {"threads", "1025"}},
                                          {{"trials", "10007"}, {"threads", "33"}}});
}

TEST_CASE("circle_area finds the course's counts to the last hit in every space") {
  for_each_built_in_space([]<class Space>() {
    INFO(space_name<Space>());
    for (const char* variant : {"xoroshiro", "team_scratch", "xoroshiro_wide"}) {
      INFO(variant);
      CHECK(hits<Space>(variant, 5120, 5120) == 4091);
      CHECK(hits<Space>(variant, mebi, mebi) == 823'184);
      CHECK(hits<Space>(variant, 10 * mebi, mebi) == 8'235'913);
    }
  });
}

TEST_CASE("a sample goes on where the one before stopped") {
  for_each_built_in_space([]<class Space>() {
    for (const char* variant : {"xoroshiro", "team_scratch", "xoroshiro_wide"})
      CHECK(hits<Space>(variant, 3 * 1009, 1009, 2) == hits<Space>(variant, 6 * 1009, 1009));
  });
}

TEST_CASE("circle_area counts more trials, and more hits, than an int does") {
  constexpr std::int64_t trials = 2'800'000'001;
  const double n = static_cast<double>(trials);
  const auto found = hits<Kokkos::DefaultExecutionSpace>("philox_wide", trials, 1024);
  CHECK(std::abs(4 * static_cast<double>(found) / n - 3.14159265) < 5 * 1.642 / std::sqrt(n));
}

TEST_CASE("philox counts the same for any number of threads") {
  for_each_built_in_space([]<class Space>() {
    INFO(space_name<Space>());
    const auto known = hits<Space>("philox", 100'003, 1);
    for (const std::int64_t threads : {1, 2, 31, 1000, 100'003, 200'000})
      CHECK(hits<Space>("philox_wide", 100'003, threads) == known);
  });
}

TEST_CASE("darts in doubt are decided in double precision, the others alike") {
  // Darts on both sides of the circle, closer and closer to it: the estimate never decides wrongly
  // where it is not in doubt.
  int in_doubt = 0, decided = 0;
  for (int i = 0; i < 2000; ++i) {
    const double angle = 0.001 * i;
    for (const double gap : {1e-2, 1e-4, 1e-6, 1e-8, 0.0, -1e-8, -1e-6, -1e-4, -1e-2}) {
      const auto word = [](double x) {
        return static_cast<std::uint64_t>((x + 1) * 0.5 * 0x1p53) << 11;
      };
      const std::uint64_t a = word((1 + gap) * std::cos(angle) * 0.999),
                          b = word((1 + gap) * std::sin(angle) * 0.999);
      const std::uint64_t c = word((1 + gap) * std::cos(angle) * (1 - 1e-12)),
                          d = word((1 + gap) * std::sin(angle) * (1 - 1e-12));
      for (const auto& [u, v] : {std::pair{a, b}, std::pair{c, d}}) {
        const float outside = kernels::circle_area::estimate(static_cast<std::uint32_t>(u >> 32),
                                                             static_cast<std::uint32_t>(v >> 32));
        const bool hit =
            kernels::circle_area::in_circle(random::xoroshiro_f32(u), random::xoroshiro_f32(v));
        if (std::abs(outside) < kernels::circle_area::doubtful) {
          ++in_doubt;
        } else {
          ++decided;
          REQUIRE((outside < 0) == hit);
        }
      }
    }
  }
  CHECK(in_doubt > 0);
  CHECK(decided > 0);
}
