// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "transpose/lesson.hpp"

#include <catch2/catch_test_macros.hpp>
#include <utility>
#include <vector>

#include "platform/device/spaces.hpp"
#include "support/rows.hpp"
#include "transpose/tuned.hpp"

using namespace parallax;

TEST_CASE("transpose is right for odd shapes in every space") {
  test::verify_everywhere("transpose", {{{"rows", "0"}, {"columns", "5"}},
                                        {{"rows", "5"}, {"columns", "0"}},
                                        {{"rows", "1"}, {"columns", "1"}},
                                        {{"rows", "1"}, {"columns", "1009"}},
                                        {{"rows", "1009"}, {"columns", "1"}},
                                        {{"rows", "2"}, {"columns", "3"}},
                                        {{"rows", "31"}, {"columns", "33"}},
                                        {{"rows", "32"}, {"columns", "32"}},
                                        {{"rows", "63"}, {"columns", "65"}},
                                        {{"rows", "64"}, {"columns", "128"}},
                                        {{"rows", "80"}, {"columns", "48"}},
                                        {{"rows", "257"}, {"columns", "511"}}});
}

TEST_CASE("transpose of 1 2 3, 4 5 6 is 1 4, 2 5, 3 6") {
  test::for_each_instance("transpose", [](const Exercise& e, const Specialization& instance) {
    if (instance.precision != "f64") return;
    for (const auto& row : test::plan_of(e, instance, {{"rows", "2"}, {"columns", "3"}}).rows) {
      test::give(row, "in", std::vector<double>{1, 2, 3, 4, 5, 6});
      INFO(row.variant);
      CHECK(test::outcome(row) == std::vector<double>{1, 4, 2, 5, 3, 6});
    }
  });
}

TEST_CASE("transpose in double differs from transpose in float, and the check sees it") {
  test::require_wrong_in_float("transpose");
}

TEST_CASE("transpose twice gives the first matrix") {
  for_each_built_in_space([]<class Space>() {
    INFO(space_name<Space>());
    using Matrix = Kokkos::View<float**, Kokkos::LayoutRight, typename Space::memory_space>;
    const Matrix in("in", 96, 160), turned("turned", 160, 96), back("back", 96, 160);
    const auto h = Kokkos::create_mirror_view(in);
    for (int i = 0; i < 96; ++i)
      for (int j = 0; j < 160; ++j) h(i, j) = static_cast<float>(i * 1000 + j);
    Kokkos::deep_copy(in, h);
    // wide as a whole moves packs here; by_packs moves past the cache, as with large matrices.
    const auto check = [&](const char* name) {
      const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, back);
      int wrong = 0;
      for (int i = 0; i < 96; ++i)
        for (int j = 0; j < 160; ++j) wrong += found(i, j) != h(i, j);
      INFO(name);
      CHECK(wrong == 0);
      Kokkos::deep_copy(back, -1.0F);
      Kokkos::deep_copy(turned, -1.0F);
    };
    kernels::transpose::wide(Space(), in, turned);
    kernels::transpose::wide(Space(), turned, back);
    check("wide");
    constexpr int lanes = kernels::transpose::WideTile<Space, float>::lanes;
    kernels::transpose::by_packs<lanes>(Space(), in, turned, true);
    kernels::transpose::by_packs<lanes>(Space(), turned, back, true);
    check("past the cache");
    kernels::transpose::team_scratch(Space(), 1, in, turned);
    kernels::transpose::naive(Space(), turned, back);
    check("team_scratch, naive");
  });
}

TEST_CASE(
    "transpose wide takes a matrix that begins between two packs, and writes nothing beside") {
  for_each_built_in_space([]<class Space>() {
    INFO(space_name<Space>());
    using Matrix = Kokkos::View<float**, Kokkos::LayoutRight, typename Space::memory_space,
                                Kokkos::MemoryUnmanaged>;
    constexpr int rows = 64, columns = 80, n = rows * columns;
    const Kokkos::View<float*, typename Space::memory_space> a("a", n + 2), b("b", n + 2);
    Kokkos::deep_copy(a, 1.5F);
    kernels::transpose::wide(Space(), Matrix(a.data() + 1, rows, columns),
                             Matrix(b.data() + 1, columns, rows));
    const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, b);
    int wrong = 0;
    for (int i = 0; i < n + 2; ++i) wrong += h(i) != (i > 0 && i <= n ? 1.5F : 0.0F);
    CHECK(wrong == 0);
  });
}
