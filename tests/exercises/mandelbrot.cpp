// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

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
