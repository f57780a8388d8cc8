// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "exercise/team_size.hpp"
#include "mandelbrot/lesson.hpp"
#include "platform/device/spaces.hpp"
#include "support/rows.hpp"

using namespace parallax;

TEST_CASE("mandelbrot is right for odd pictures in every space") {
  test::verify_everywhere(
      "mandelbrot",
      {{{"rows", "1"}, {"columns", "1"}},
       {{"rows", "1"}, {"columns", "131"}},
       {{"rows", "131"}, {"columns", "1"}},
       {{"rows", "37"}, {"columns", "61"}, {"max_iterations", "1"}},
       {{"rows", "37"}, {"columns", "61"}, {"max_iterations", "7"}},
       {{"rows", "64"}, {"columns", "128"}, {"max_iterations", "8"}},
       {{"rows", "33"}, {"columns", "31"}},  // one more and one less than a tile
       {{"rows", "53"}, {"columns", "97"}, {"max_iterations", "1000"}},
       // Points far outside, whose orbits overflow, and a window around one of them.
       {{"rows", "41"}, {"columns", "41"}, {"real", "-100,100"}, {"imag", "-1e30,1e30"}}});
}

TEST_CASE("mandelbrot finds the course's number of pixels at the cap") {
  for (const char* variant : {"range", "simd"}) {
    const auto result =
        test::result_of("mandelbrot", variant, {{"rows", "2000"}, {"columns", "3000"}}, "f64");
    CHECK(test::number(result, "at_cap") == 2'513'990);
  }
}

TEST_CASE("a team's threads write the pixels that others computed, in either layout") {
  for_each_built_in_space([]<class Space>() {
    const Space space;
    const kernels::mandelbrot::Window<double> window{-2, 0.5, -1.25, 1.25};
    const int team = std::min(4, largest_team<Space>());
    Kokkos::View<std::int32_t**, Kokkos::LayoutLeft, typename Space::memory_space> left("left", 53,
                                                                                        97);
    Kokkos::View<std::int32_t**, Kokkos::LayoutRight, typename Space::memory_space> right("right",
                                                                                          53, 97);
    kernels::mandelbrot::range(space, window, 50, right);
    const auto expected = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, right);
    for (int k = 0; k < 20; ++k) {
      Kokkos::deep_copy(space, left, -1);
      Kokkos::deep_copy(space, right, -1);
      kernels::mandelbrot::team_scratch(space, team, window, 50, left);
      kernels::mandelbrot::team_scratch(space, team, window, 50, right);
      const auto l = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, left);
      const auto r = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, right);
      int wrong = 0;
      for (int i = 0; i < 53; ++i)
        for (int j = 0; j < 97; ++j)
          wrong += l(i, j) != expected(i, j) || r(i, j) != expected(i, j) ? 1 : 0;
      CHECK(wrong == 0);
    }
  });
}
