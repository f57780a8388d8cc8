// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "matmul/ranks.hpp"
#include "matmul/tuned_register_tiled.hpp"
#include "measure/verify/trial.hpp"
#include "platform/base/error.hpp"
#include "platform/device/spaces.hpp"
#include "support/rows.hpp"

using namespace parallax;

namespace {

test::Assignments shape(const char* m, const char* n, const char* k, const char* layout) {
  return {{"m", m}, {"n", n}, {"k", k}, {"layout", layout}, {"input", "integers"}};
}

const Row& register_tiled(const Plan& plan) {
  const auto row = std::find_if(plan.rows.begin(), plan.rows.end(),
                                [](const Row& r) { return r.variant == "register_tiled"; });
  REQUIRE(row != plan.rows.end());
  return *row;
}

}  // namespace

TEST_CASE("matmul of whole numbers is exact for odd shapes and both layouts in every space") {
  std::vector<test::Assignments> sets;
  for (const char* layout : {"left", "right"}) {
    sets.push_back(shape("0", "3", "4", layout));
    sets.push_back(shape("5", "0", "2", layout));
    sets.push_back(shape("3", "4", "0", layout));
    sets.push_back(shape("1", "1", "1", layout));
    sets.push_back(shape("7", "13", "17", layout));
    sets.push_back(shape("127", "131", "9", layout));
    sets.push_back(shape("128", "128", "8", layout));
    sets.push_back(shape("129", "64", "33", layout));
    sets.push_back(shape("193", "257", "261", layout));
    sets.push_back(shape("1", "521", "3", layout));
    sets.push_back(shape("400", "4", "1", layout));
  }
  test::verify_everywhere("matmul", sets);
}

TEST_CASE("matmul tiled_swizzled takes any tile that scratch has room for") {
  test::verify_everywhere(
      "matmul",
      {{{"tile", "1"}}, {{"tile", "7"}}, {{"tile", "8"}}, {{"tile", "31"}}, {{"tile", "32"}}});
}

TEST_CASE("matmul's tiles are right for teams smaller and larger than a tile") {
  test::for_each_instance("matmul", [](const Exercise& e, const Specialization& instance) {
    for (const int size : {4, 100, 255, 256, 257, 1024}) {
      if (size > test::largest_team(instance.space)) break;
      for (const auto& row :
           test::plan_of(e, instance, shape("67", "45", "33", "default"), size).rows) {
        if (row.team_size != size) continue;
        INFO(row.variant << " with teams of " << size);
        CHECK(verify(row).passed);
      }
    }
  });
}

TEST_CASE("matmul refuses a tile that scratch has no room for, and names the limit") {
  test::for_each_instance("matmul", [](const Exercise& e, const Specialization& instance) {
    CHECK_THROWS_AS(test::plan_of(e, instance, {{"tile", "1000"}}), UsageError);
  });
}

TEST_CASE("matmul of threes and fours: the course's shapes") {
  for (const char* variant :
       {"naive", "tiled", "team_scratch", "tiled_swizzled", "register_tiled"}) {
    INFO(variant);
    const auto small = test::result_of(
        "matmul", variant, {{"m", "24"}, {"n", "22"}, {"k", "12"}, {"input", "constants"}});
    CHECK(test::number(small, "first") == 144);
    CHECK(test::number(small, "last") == 144);
    CHECK(test::number(small, "sum") == 144 * 24 * 22);
    const auto larger = test::result_of(
        "matmul", variant, {{"m", "32"}, {"n", "16"}, {"k", "48"}, {"input", "constants"}});
    CHECK(test::number(larger, "sum") == 576 * 32 * 16);
  }
}

TEST_CASE("matmul's check of large products sees one wrong element, and two swapped") {
  test::for_each_instance("matmul", [](const Exercise& e, const Specialization& instance) {
    if (instance.space != exercises().front().specializations.front().space)
      return;  // the check is the host's
    const auto plan = test::plan_of(e, instance, {{"m", "300"}, {"n", "301"}, {"k", "302"}});
    const Row& row = register_tiled(plan);
    REQUIRE(verify(row).passed);
    const auto& output = row.judge.outputs.front();
    const auto right = output.read();
    auto wrong = right;
    wrong[12345] += 0.25L;
    output.write(wrong);
    CHECK_FALSE(row.judge.check().passed);
    wrong = right;
    std::swap(wrong[777], wrong[778]);
    output.write(wrong);
    CHECK_FALSE(row.judge.check().passed);
    output.write(right);
    CHECK(row.judge.check().passed);
  });
}

TEST_CASE("matmul's check of large products has no rounding of its own to blame on the kernel") {
  const std::vector<test::Assignments> sets{
      {{"m", "300"}, {"n", "301"}, {"k", "302"}, {"input", "integers"}},
      {{"m", "300"}, {"n", "301"}, {"k", "302"}, {"input", "constants"}},
      {{"m", "500"}, {"n", "30000"}, {"k", "2"}},
      // More than float holds whole numbers for.
      {{"m", "4"}, {"n", "4"}, {"k", "1500000"}, {"input", "constants"}}};
  // Teams of the default size only: 100,000 slices with two barriers each take minutes where a
  // team has more threads than there are cores.
  test::for_each_instance("matmul", [&](const Exercise& e, const Specialization& instance) {
    for (const auto& set : sets)
      for (const auto& row : test::plan_of(e, instance, set).rows) {
        INFO(row.variant << ", k " << set[2].second);
        if (row.unavailable.empty()) CHECK(verify(row).passed);
      }
  });
}

TEST_CASE("matmul's check of large products of whole numbers sees one off by 1, or not whole") {
  test::for_each_instance("matmul", [](const Exercise& e, const Specialization& instance) {
    const auto plan = test::plan_of(
        e, instance, {{"m", "300"}, {"n", "301"}, {"k", "302"}, {"input", "integers"}});
    const Row& row = register_tiled(plan);
    REQUIRE(verify(row).passed);
    const auto& output = row.judge.outputs.front();
    const auto right = output.read();
    for (const long double off : {1.0L, -1.0L, 0.5L, 1e30L}) {
      auto wrong = right;
      wrong[777] += off;
      output.write(wrong);
      INFO("off by " << static_cast<double>(off));
      CHECK_FALSE(row.judge.check().passed);
    }
    output.write(right);
    CHECK(row.judge.check().passed);
  });
}

namespace {

template <class Space, class LayoutA, class LayoutB, class LayoutC>
void mixed() {
  INFO(space_name<Space>());
  const Kokkos::View<double**, LayoutA, typename Space::memory_space> a("a", 70, 40);
  const Kokkos::View<double**, LayoutB, typename Space::memory_space> b("b", 40, 90);
  const Kokkos::View<double**, LayoutC, typename Space::memory_space> c("c", 70, 90);
  const auto ha = Kokkos::create_mirror_view(a);
  const auto hb = Kokkos::create_mirror_view(b);
  for (int i = 0; i < 70; ++i)
    for (int l = 0; l < 40; ++l) ha(i, l) = (i * 7 + l * 3) % 11 - 5;
  for (int l = 0; l < 40; ++l)
    for (int j = 0; j < 90; ++j) hb(l, j) = (l * 5 + j) % 7 - 3;
  Kokkos::deep_copy(a, ha);
  Kokkos::deep_copy(b, hb);
  kernels::matmul::register_tiled(Space{}, a, b, c);
  const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, c);
  int wrong = 0;
  for (int i = 0; i < 70; ++i)
    for (int j = 0; j < 90; ++j) {
      double sum = 0;
      for (int l = 0; l < 40; ++l) sum += ha(i, l) * hb(l, j);
      if (h(i, j) != sum) ++wrong;
    }
  CHECK(wrong == 0);
  kernels::matmul::register_tiled<true>(Space{}, a, b, c);
  const auto twice = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, c);
  for (int i = 0; i < 70; ++i)
    for (int j = 0; j < 90; ++j) {
      double sum = 0;
      for (int l = 0; l < 40; ++l) sum += ha(i, l) * hb(l, j);
      if (twice(i, j) != 2 * sum) ++wrong;
    }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE(
    "matmul's ranks are a row or a grid, and each panel belongs to one column and one row of it") {
  const auto has = [](int part, int parts, std::int64_t depth, const matmul::Panel& panel) {
    const Share share = Division{part, parts}.of(depth);
    return share.begin <= panel.begin && panel.begin + panel.width <= share.begin + share.count;
  };
  for (const auto& [ranks, rows] : {std::pair(1, 1), {2, 1}, {4, 2}, {6, 2}, {7, 1}, {12, 3}}) {
    const matmul::Grid grid(Division{ranks - 1, ranks}, 512 * (ranks - 1) - 1);
    INFO(ranks << " ranks");
    CHECK(grid.rows == rows);
    CHECK(matmul::Grid(Division{ranks - 1, ranks}, 512 * (ranks - 1)).columns == ranks);
    CHECK(grid.rows * grid.columns == ranks);
    CHECK((grid.row + 1) * (grid.column + 1) == ranks);  // the last is in the last corner
    for (const std::int64_t depth : {1, 5, 129, 512, 513, 5000}) {
      INFO("depth " << depth);
      std::int64_t end = 0;
      for (const auto& panel : matmul::panels_of(depth, grid, 512)) {
        CHECK(panel.begin == end);
        CHECK((panel.width > 0 && panel.width <= 512));
        CHECK(has(panel.of_a, grid.columns, depth, panel));
        CHECK(has(panel.of_b, grid.rows, depth, panel));
        end += panel.width;
      }
      CHECK(end == depth);
    }
  }
}

TEST_CASE("matmul register_tiled takes matrices of different layouts, and adds") {
  using L = Kokkos::LayoutLeft;
  using R = Kokkos::LayoutRight;
  for_each_built_in_space([]<class Space>() {
    mixed<Space, L, R, R>();
    mixed<Space, R, L, R>();
    mixed<Space, R, R, L>();
  });
}
