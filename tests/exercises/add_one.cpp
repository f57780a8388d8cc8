// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "add_one/tuned.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <utility>

#include "platform/device/spaces.hpp"
#include "support/rows.hpp"

using namespace parallax;

TEST_CASE("add_one is right for odd sizes in every space") {
  test::verify_everywhere("add_one", {{{"n", "0"}},
                                      {{"n", "1"}},
                                      {{"n", "2"}},
                                      {{"n", "9"}},
                                      {{"n", "257"}},
                                      {{"n", "1023"}},
                                      {{"n", "1024"}},
                                      {{"n", "1025"}},
                                      {{"n", "32768"}},
                                      {{"n", "65536"}},
                                      {{"n", "65537"}}});
}

TEST_CASE("add_one adds n to the sum") {
  for (const char* variant : {"range", "team_scratch", "wide"}) {
    const auto result = test::result_of("add_one", variant, {{"n", "1000"}}, "f64");
    CHECK(std::abs(test::number(result, "sum_after") - test::number(result, "sum_before") - 1000) <
          1e-9);
  }
}

TEST_CASE("wide kernels take views that are not aligned to a pack, and write nothing beyond") {
  for_each_built_in_space([]<class Space>() {
    Kokkos::View<double*, typename Space::memory_space> a("a", 1003);
    for (const int first : {1, 2, 7}) {
      Kokkos::deep_copy(a, 0.5);
      kernels::add_one::wide(Space{}, Kokkos::subview(a, std::pair(first, 1001)));
      const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, a);
      for (int i = 0; i < 1003; ++i) {
        INFO(space_name<Space>() << " " << i);
        REQUIRE(h(i) == (i >= first && i < 1001 ? 1.5 : 0.5));
      }
    }
  });
}
