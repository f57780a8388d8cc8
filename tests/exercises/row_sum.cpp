// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "row_sum/tuned.hpp"

#include <catch2/catch_test_macros.hpp>

#include "platform/device/spaces.hpp"
#include "row_sum/reference.hpp"
#include "support/rows.hpp"

using namespace parallax;

TEST_CASE("row_sum is right for odd shapes in every space") {
  test::verify_everywhere("row_sum", {{{"rows", "0"}, {"columns", "5"}},
                                      {{"rows", "5"}, {"columns", "0"}},
                                      {{"rows", "1"}, {"columns", "1"}},
                                      {{"rows", "5"}, {"columns", "1024"}},
                                      {{"rows", "7"}, {"columns", "3"}},
                                      {{"rows", "8"}, {"columns", "255"}},
                                      {{"rows", "9"}, {"columns", "1025"}},
                                      {{"rows", "1009"}, {"columns", "17"}},
                                      {{"rows", "3"}, {"columns", "20011"}}});
}

TEST_CASE("row_sum's matrix is the same in every space and has the moments of normal(0,1)") {
  for (const char* precision : {"f32", "f64"}) {
    const auto result =
        test::result_of("row_sum", "team", {{"rows", "1000"}, {"columns", "100"}}, precision);
    CHECK(std::abs(test::number(result, "mean")) < 4 / std::sqrt(1e5));
    CHECK(std::abs(test::number(result, "variance") - 1) < 4 * std::sqrt(2 / 1e5));
  }
}

TEST_CASE(
    "row_sum sees that the last columns of a long row are missing, which roundings may hide") {
  using Space = Kokkos::DefaultHostExecutionSpace;
  using Numbers = Kokkos::View<float**, Kokkos::LayoutRight, Space::memory_space>;
  constexpr std::int64_t columns = 5'000'000;
  const auto but = [](std::int64_t missing) {
    return row_sum::whole_rows_by<Numbers>(
               Space(), 1, columns,
               [=](const Numbers& a, const auto& sums) {
                 const auto most = static_cast<std::size_t>(columns - missing);
                 const Numbers part =
                     Kokkos::subview(a, std::pair(0, 1), std::pair(std::size_t{0}, most));
                 kernels::row_sum::range(Space(), part, sums);
               })
        .passed;
  };
  CHECK(but(0));
  CHECK_FALSE(but(4));
}

namespace {

template <class Space, class Layout>
void sum_by_hand() {
  INFO(space_name<Space>());
  const Kokkos::View<float**, Layout, typename Space::memory_space> a("a", 37, 70);
  const auto h = Kokkos::create_mirror_view(a);
  for (int r = 0; r < 37; ++r)
    for (int c = 0; c < 70; ++c) h(r, c) = static_cast<float>(r * 100 + c);
  Kokkos::deep_copy(a, h);
  const Kokkos::View<float*, typename Space::memory_space> sums("sums", 37);
  const auto check = [&](const char* variant) {
    INFO(variant);
    const auto s = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, sums);
    for (int r = 0; r < 37; ++r) CHECK(s(r) == static_cast<float>(70 * 100 * r + 35 * 69));
    Kokkos::deep_copy(sums, -1.0F);
  };
  const Space space;
  kernels::row_sum::range(space, a, sums);
  check("range");
  kernels::row_sum::team(space, 1, a, sums);
  check("team");
  kernels::row_sum::team_scratch(space, 1, a, sums);
  check("team_scratch");
  kernels::row_sum::range_wide(space, a, sums);
  check("range_wide");
  kernels::row_sum::team_wide(space, a, sums);
  check("team_wide");
}

}  // namespace

TEST_CASE("row_sum takes both layouts") {
  for_each_built_in_space([]<class Space>() {
    sum_by_hand<Space, Kokkos::LayoutLeft>();
    sum_by_hand<Space, Kokkos::LayoutRight>();
  });
}
