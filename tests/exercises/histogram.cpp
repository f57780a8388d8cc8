// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "histogram/tuned.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <numeric>
#include <vector>

#include "exercise/team_size.hpp"
#include "platform/base/error.hpp"
#include "platform/device/spaces.hpp"
#include "support/rows.hpp"

using namespace parallax;

namespace {

/// The counts of all variants, which must agree, for values given on the host.
template <class Space, class T>
std::vector<std::int64_t> counts_of(const std::vector<T>& values, int bins, bool clamp,
                                    std::size_t skip = 0) {
  namespace h = kernels::histogram;
  using Memory = typename Space::memory_space;
  const Space space;
  Kokkos::View<T*, Memory> all("x", values.size());
  const auto mirror = Kokkos::create_mirror_view(all);
  for (std::size_t i = 0; i < values.size(); ++i) mirror(i) = values[i];
  Kokkos::deep_copy(all, mirror);
  const auto x = Kokkos::subview(all, std::pair(skip, values.size()));
  const h::Binning<T> binning(0, 120, bins, clamp);
  const auto slots = static_cast<std::size_t>(bins) + 2;
  const Kokkos::View<std::int64_t*, Memory> counts("counts", slots);
  const int team = std::min(3, largest_team<Space>());
  const h::Rows<Space> rows(
      "rows", static_cast<std::size_t>(h::private_row_count(space, bins + 2, team)), slots);
  const auto result = [&] {
    const auto c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, counts);
    const std::vector<std::int64_t> copy(c.data(), c.data() + slots);
    Kokkos::deep_copy(counts, -1);  // which on a host space is what `c` shows
    return copy;
  };
  h::scratch_copies(space, x, binning, counts);
  const auto first = result();
  h::team_scratch(space, team, x, binning, counts);
  CHECK(result() == first);
  h::global_atomic(space, x, binning, counts);
  CHECK(result() == first);
  h::private_rows(space, team, x, binning, rows, counts);
  CHECK(result() == first);
  h::scatter_view(space, x, binning, counts);
  CHECK(result() == first);
  return first;
}

}  // namespace

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
  for_each_built_in_space([]<class Space>() {
    INFO(space_name<Space>());
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> values{0,  -0.0F, 59.99F, 60,        119.999F, 120,
                                    -1, nan,   1e30F,  -infinity, infinity, nan};
    //                            bins 0 and 1, outside, NaN
    CHECK(counts_of<Space>(values, 2, false) == std::vector<std::int64_t>{3, 2, 5, 2});
    CHECK(counts_of<Space>(values, 2, true) == std::vector<std::int64_t>{5, 5, 0, 2});
  });
}

TEST_CASE("histogram takes views that are not aligned to a pack") {
  for_each_built_in_space([]<class Space>() {
    std::vector<double> values(5003);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 120) + 0.5;
    const auto all = counts_of<Space>(values, 120, false);
    const auto less = counts_of<Space>(values, 120, false, 1);
    CHECK(std::accumulate(all.begin(), all.end(), std::int64_t{0}) == 5003);
    CHECK(less[0] == all[0] - 1);
    CHECK(std::equal(all.begin() + 1, all.end(), less.begin() + 1));
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
