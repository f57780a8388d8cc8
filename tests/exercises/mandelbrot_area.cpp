// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "mandelbrot_area/tuned.hpp"

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <utility>

#include "support/rows.hpp"

using namespace parallax;
namespace area = kernels::mandelbrot_area;

TEST_CASE("mandelbrot_area is right for odd sizes in every space") {
  test::verify_everywhere("mandelbrot_area",
                          {{{"trials", "1"}, {"threads", "1"}},
                           {{"trials", "1"}, {"threads", "1009"}},
                           {{"trials", "127"}, {"threads", "128"}},
                           {{"trials", "1009"}, {"threads", "1"}},
                           {{"trials", "1009"}, {"threads", "17"}},
                           {{"trials", "2003"}, {"threads", "127"}, {"max_iterations", "1"}},
                           {{"trials", "2003"}, {"threads", "128"}, {"max_iterations", "7"}}});
}

TEST_CASE("mandelbrot_area lies within the course's bounds, by its standard error") {
  const auto result =
      test::result_of("mandelbrot_area", "floyd",
                      {{"trials", "200000"}, {"threads", "4096"}, {"max_iterations", "2000"}});
  const double error = test::number(result, "standard_error");
  CHECK(std::abs(error - 3.36 / std::sqrt(200'000.0)) < 1e-12);
  CHECK(test::number(result, "area") > 1.50640 - 4 * error);
  CHECK(test::number(result, "area") < 1.53121 + 4 * error);
  CHECK(test::number(result, "area_without_undecided") < test::number(result, "area"));
}

TEST_CASE("a higher cap decides more darts, and members only become fewer") {
  double members = 1e9, undecided = 1e9;
  for (const char* cap : {"10", "100", "1000"}) {
    const auto result =
        test::result_of("mandelbrot_area", "floyd",
                        {{"trials", "20000"}, {"threads", "256"}, {"max_iterations", cap}});
    CHECK(test::number(result, "members") <= members);
    CHECK(test::number(result, "undecided") < undecided);
    members = test::number(result, "members");
    undecided = test::number(result, "undecided");
  }
}

TEST_CASE(
    "mandelbrot_area counts alike where a second kernel follows slow darts, in lists of any "
    "length") {
  using Space = Kokkos::DefaultExecutionSpace;
  using Number = Kokkos::View<std::int64_t, Space>;
  const Space space;
  const std::int64_t streams = 1009, trials = 20011, cap = 300;
  using States = Kokkos::View<random::Xoroshiro*, Space>;
  const States first("first", streams), states("states", streams);
  random::seed_xoroshiro_states(space, 12345, first);
  const Number members("members"), undecided("undecided");
  const auto counted = [&](const auto& kernel) {
    Kokkos::deep_copy(states, first);
    kernel();
    std::int64_t m = 0, u = 0;
    Kokkos::deep_copy(m, members);
    Kokkos::deep_copy(u, undecided);
    return std::pair{m, u};
  };
  const auto right =
      counted([&] { area::floyd<float>(space, states, trials, cap, members, undecided); });
  REQUIRE(right.second > 0);
  for (const std::int64_t steps : {1, 8, 299, 300, 1000}) {
    for (const std::int64_t length : {0, 1, 200, 20011}) {
      const area::Later<float, Space> later(space, length, steps);
      for (int run = 0; run < 2; ++run) {  // what the first leaves in the lists does not matter
        CAPTURE(steps, length, run);
        CHECK(counted([&] {
                area::floyd_refill<float>(space, states, trials, cap, later, members, undecided);
              }) == right);
      }
    }
  }
}
