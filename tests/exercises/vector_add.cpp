// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "vector_add/tuned.hpp"

#include <catch2/catch_test_macros.hpp>

#include "platform/device/spaces.hpp"
#include "support/rows.hpp"

using namespace parallax;

TEST_CASE("vector_add is right for odd sizes in every space") {
  test::verify_everywhere("vector_add", {{{"n", "0"}},
                                         {{"n", "1"}},
                                         {{"n", "2"}},
                                         {{"n", "3"}},
                                         {{"n", "255"}},
                                         {{"n", "256"}},
                                         {{"n", "257"}},
                                         {{"n", "1009"}},
                                         {{"n", "1023"}},
                                         {{"n", "1024"}},
                                         {{"n", "1025"}},
                                         {{"n", "32768"}},
                                         {{"n", "65536"}},
                                         {{"n", "65537"}}});
}

TEST_CASE("vector_add of ones gives 2 everywhere") {
  for (const char* variant : {"range", "team", "team_scratch", "wide"}) {
    const auto result =
        test::result_of("vector_add", variant, {{"n", "1000"}, {"input", "ones"}}, "f32");
    CHECK(test::number(result, "sum") == 2000);
    CHECK(test::number(result, "first") == 2);
    CHECK(test::number(result, "last") == 2);
  }
}

TEST_CASE("vector_add wide takes views that are not aligned to a pack, and writes nothing beyond") {
  for_each_built_in_space([]<class Space>() {
    Kokkos::View<float*, typename Space::memory_space> a("a", 1003), b("b", 1003), c("c", 1003);
    Kokkos::deep_copy(a, 1.5F);
    Kokkos::deep_copy(b, 2.0F);
    const std::pair part(1, 1001);
    kernels::vector_add::wide(Space{}, Kokkos::subview(a, part), Kokkos::subview(b, part),
                              Kokkos::subview(c, part));
    const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, c);
    for (int i = 0; i < 1003; ++i) {
      INFO(space_name<Space>() << " " << i);
      REQUIRE(h(i) == (i >= 1 && i < 1001 ? 3.5F : 0.0F));
    }
  });
}
