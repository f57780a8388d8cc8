// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "histogram/tuned.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <string>
#include <vector>

#include "platform/base/error.hpp"
#include "platform/device/spaces.hpp"
#include "support/rows.hpp"

using namespace parallax;

TEST_CASE("histogram is exact for odd sizes and numbers of bins in every space") {
  test::verify_everywhere("histogram",
                          {{{"n", "0"}},
                           {{"n", "1"}},
                           {{"n", "1009"}, {"bins", "1"}},
                           {{"n", "32768"}},
                           {{"n", "65536"}, {"bins", "1200"}, {"low", "-7"}, {"high", "1"}},
                           {{"n", "1025"}, {"bins", "2"}, {"distribution", "normal"}},
                           {{"n", "16385"}, {"bins", "4096"}, {"distribution", "normal"}},
                           {{"n", "65537"}, {"bins", "1200"}, {"overflow", "clamp"}},
                           {{"n", "65537"}, {"distribution", "one_bin"}, {"bins", "1021"}},
                           // More than 16 bits hold in each thread's copies of one bin.
                           {{"n", "4000037"}, {"distribution", "one_bin"}}});
}

TEST_CASE(
    "histogram refuses bins too narrow for the precision, and is right for those just wide "
    "enough") {
  test::for_each_instance("histogram", [](const Exercise& e, const Specialization& instance) {
    const test::Assignments narrow{{"low", "5"}, {"high", "5.0000001"}, {"overflow", "clamp"}};
    if (instance.precision == "f32")
      CHECK_THROWS_AS(test::plan_of(e, instance, narrow), UsageError);
    else
      CHECK_NOTHROW(test::plan_of(e, instance, narrow));
    CHECK_THROWS_AS(test::plan_of(e, instance, {{"low", "0"}, {"high", "5e-324"}}), UsageError);
  });
  test::verify_everywhere(
      "histogram",
      {{{"low", "1000"}, {"high", "1000.06"}, {"overflow", "clamp"}, {"distribution", "normal"}}});
}

TEST_CASE("histogram counts edges, what lies outside and NaN where it says") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values{0,  -0.0F, 59.99F, 60,        119.999F, 120,
                                  -1, nan,   1e30F,  -infinity, infinity, nan};
  test::for_each_instance("histogram", [&](const Exercise& e, const Specialization& instance) {
    if (instance.precision != "f32") return;
    const auto all_count = [&](const std::string& overflow, const std::vector<double>& right) {
      const test::Assignments set{{"n", "12"}, {"bins", "2"}, {"overflow", overflow}};
      const int team = std::min(3, test::largest_team(instance.space));
      for (const auto& row : test::plan_of(e, instance, set, team).rows) {
        test::give(row, "x", values);
        INFO(row.variant << " " << overflow);
        CHECK(test::outcome(row) == right);
      }
    };
    //                   bins 0 and 1, outside, NaN
    all_count("drop", {3, 2, 5, 2});
    all_count("clamp", {5, 5, 0, 2});
  });
}

TEST_CASE("no piece of a histogram has more values than its counts of 32 bits hold") {
  using Space = Kokkos::DefaultHostExecutionSpace;
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  for (const std::int64_t n : {most, most + 1, 3 * most, std::int64_t{1} << 40}) {
    CHECK(n / kernels::histogram::team_count<kernels::histogram::Tuning<Space>>(Space{}, n) <=
          most);
    for (const int team : {1, 3})
      CHECK(n / (kernels::histogram::private_row_count(Space{}, 1 << 26, team, n) / team) <= most);
  }
}

TEST_CASE("histogram's packs take views that are not aligned to one") {
  for_each_built_in_space([]<class Space>() {
    INFO(space_name<Space>());
    using Memory = typename Space::memory_space;
    const Kokkos::View<double*, Kokkos::HostSpace> values("values", 5003);
    for (std::size_t i = 0; i < 5003; ++i) values(i) = static_cast<double>(i % 120) + 0.5;
    const auto x = Kokkos::create_mirror_view_and_copy(Memory{}, values);
    const Kokkos::View<std::int64_t*, Memory> counts("counts", 122);
    kernels::histogram::scratch_copies(Space{}, Kokkos::subview(x, std::pair(1, 5003)),
                                       {0, 120, 120, false}, counts);
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, counts);
    for (int k = 0; k < 122; ++k)  // without the first value, 5003 = 41 120 + 83
      CHECK(found(k) == (k >= 120 ? 0 : k == 0 || k >= 83 ? 41 : 42));
  });
}

TEST_CASE("histogram of the synthetic spectrum has the peaks of the J/psi and the Z") {
  const auto values =
      test::result_of("histogram", "team_scratch", {{"n", "200000"}, {"distribution", "mass"}});
  CHECK(test::number(values, "in_range") + test::number(values, "outside") == 200000);
  CHECK(test::number(values, "nan") == 0);
  for (const auto& [name, value] : values) {
    if (name != "counts") continue;
    const auto& counts = std::get<std::vector<std::int64_t>>(value);
    CHECK(counts[3] > 5 * counts[5]);     // J/psi, 3.097 GeV
    CHECK(counts[9] > 2 * counts[7]);     // Upsilon, 9.46 GeV
    CHECK(counts[91] > 20 * counts[75]);  // Z, 91.19 GeV
  }
}
