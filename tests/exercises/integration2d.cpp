// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "integration2d/tuned.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>

#include "exercise/outputs.hpp"
#include "exercise/team_size.hpp"
#include "measure/verify/trial.hpp"
#include "platform/device/space_info.hpp"
#include "platform/device/spaces.hpp"
#include "support/rows.hpp"

using namespace parallax;
using Grid = kernels::integration2d::Grid<double>;

TEST_CASE("integration2d is right for odd sizes in every space") {
  test::verify_everywhere("integration2d", {{{"n", "1"}},
                                            {{"n", "2"}},
                                            {{"n", "3"}},
                                            {{"n", "97"}},
                                            {{"n", "127"}},
                                            {{"n", "128"}},
                                            {{"n", "513"}},
                                            {{"n", "1009"}}});
}

TEST_CASE("integration2d's bound holds for many sums of parts, and a lost point is beyond it") {
  const auto& e = find_exercise("integration2d");
  // One space is enough: the sum is the same in all, and billions of points take a while.
  const auto& instance = *std::find_if(
      e.specializations.begin(), e.specializations.end(),
      [](const Specialization& i) { return i.precision == "f64" && runs_on_host(i.space); });
  INFO(instance.space);
  // One thread adds up all runs, one after the other.
  Parameters parameters(e.parameters, Size::tiny, true, 12345);
  parameters.set("n", "30000");
  if (takes_a_number_of_threads(instance.space)) parameters.set("threads", "1");
  const auto plan = instance.plan(parameters);
  const Row& row = *std::find_if(plan.rows.begin(), plan.rows.end(),
                                 [](const Row& r) { return r.variant == "recurrence"; });
  const auto verdict = verify(row);
  INFO("error " << verdict.error << ", tolerance " << verdict.tolerance);
  CHECK(verdict.passed);
  const auto& output = row.judge.outputs.front();
  auto lost = output.read();
  lost[0] -= output.one_update;
  output.write(lost);
  CHECK_FALSE(row.judge.check().passed);
}

TEST_CASE("integration2d of no points is 0") {
  const Kokkos::View<double, Kokkos::HostSpace> result("result");
  const Kokkos::View<double*, Kokkos::HostSpace> none("partial sums", 0);
  const Kokkos::DefaultHostExecutionSpace space;
  kernels::integration2d::row_per_thread(space, Grid(0, 3.0), none);
  kernels::integration2d::block(space, 1, Grid(0, 3.0), none);
  kernels::integration2d::block_scratch(space, 1, Grid(0, 3.0), none);
  kernels::integration2d::team_scratch(space, 1, Grid(0, 3.0), none);
  CHECK(kernels::integration2d::sum_on_host(none) == 0.0);
  for (int k = 0; k < 4; ++k) {
    result() = std::nan("");
    if (k == 0) kernels::integration2d::row_per_thread_wide<double>(space, Grid(0, 3.0), result);
    if (k == 1) kernels::integration2d::team_scratch_wide<double>(space, 1, Grid(0, 3.0), result);
    if (k == 2) kernels::integration2d::flat<double>(space, Grid(0, 3.0), result);
    if (k == 3) kernels::integration2d::recurrence<double>(space, Grid(0, 3.0), result);
    Kokkos::fence();
    INFO("variant " << k);
    CHECK(result() == 0.0);
  }
}

TEST_CASE("integration2d flat adds up rows of several runs") {
  for_each_built_in_space([]<class Space>() {
    INFO(space_name<Space>());
    const Kokkos::View<double, typename Space::memory_space> flat("flat"), rows("rows");
    kernels::integration2d::flat<double>(Space(), Grid(4099, 2.0), flat);
    kernels::integration2d::row_per_thread_wide<double>(Space(), Grid(4099, 2.0), rows);
    CHECK(std::abs(data::on_host(flat)() - data::on_host(rows)()) < 1e-11);
  });
}

TEST_CASE("integration2d leaves one partial sum for each row, or for each team of rows") {
  for_each_built_in_space([]<class Space>() {
    INFO(space_name<Space>());
    const Space space;
    constexpr int n = 37;
    const auto sums = [&](int count, const auto& kernel) {
      const Kokkos::View<double*, typename Space::memory_space> c("partial sums", count);
      kernel(c);
      return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), c);
    };
    const auto rows = sums(
        n, [&](const auto& c) { kernels::integration2d::row_per_thread(space, Grid(n, 2.0), c); });
    for (int team : {1, 2, 3, 16}) {
      if (team > largest_team<Space>()) continue;
      INFO("teams of " << team);
      const auto of_teams = sums(n, [&](const auto& c) {
        kernels::integration2d::team_scratch(space, team, Grid(n, 2.0), c);
      });
      const auto in_teams = sums(
          n, [&](const auto& c) { kernels::integration2d::block(space, team, Grid(n, 2.0), c); });
      const auto blocks = sums((n + team - 1) / team, [&](const auto& c) {
        kernels::integration2d::block_scratch(space, team, Grid(n, 2.0), c);
      });
      // 37 terms of 0.0046 at most, rounded in another order; blocks are of up to 16 such rows.
      for (int i = 0; i < n; ++i) CHECK(std::abs(of_teams(i) - rows(i)) < 2e-15);
      for (int i = 0; i < n; ++i) CHECK(in_teams(i) == rows(i));
      for (int b = 0; b * team < n; ++b) {
        double expected = 0;
        for (int i = b * team; i < std::min(n, (b + 1) * team); ++i) expected += rows(i);
        CHECK(std::abs(blocks(b) - expected) < 1e-14);
      }
    }
  });
}

namespace {

/// Distance in units of the last place of the right value.
template <class T>
double worst_ulp(T upper) {
  double worst = 0;
  for (int i = 0; i <= 200'000; ++i) {
    const T t = upper * static_cast<T>(i) / T(200'000);
    const long double right = std::sin(static_cast<long double>(t));
    const T near = static_cast<T>(std::abs(right));
    const long double ulp = std::nextafter(near, T(10)) - near;
    worst = std::max(worst, static_cast<double>(std::abs(kernels::sine(t) - right) / ulp));
  }
  return worst;
}

}  // namespace

TEST_CASE("the sine is within 2.2 units in the last place from 0 to 2 pi") {
  CHECK(worst_ulp<double>(6.4) < 2.2);
  CHECK(worst_ulp<float>(6.4F) < 2.2);
}
