// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Every variant with teams, with several threads in a team, time after time: a missing barrier or
// a lost update shows now and then alone. tests/mutation and ThreadSanitizer look longer.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <vector>

#include "device/radix_sort.hpp"
#include "harness/data.hpp"
#include "harness/run.hpp"
#include "harness/spaces.hpp"
#include "harness/team_size.hpp"
#include "support/rows.hpp"

namespace {

using namespace parallax;

constexpr int repeats = 20;

/// Whether the row is right each time; says when it was not. A machine of few cores, where barriers
/// take long, gets fewer chances.
void verify_often(const Row& row) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(100);
  for (int k = 0; k < repeats && (k == 0 || Clock::now() < end); ++k) {
    const auto verdict = verify(row);
    INFO(row.variant << " " << row.phase << " with teams of " << row.team_size << ", run " << k
                     << ": " << verdict.compared);
    REQUIRE(verdict.passed);
  }
}

/// The radix sort's tuning for teams of a few threads on a host, where it has one thread otherwise.
struct FewThreads {
  static constexpr int lanes = 1, groups = 4, items = 512, at_once = 1, scratch_level = 0;
  static constexpr int threads = lanes * groups, tile = threads * items, teams = 1;
};

/// Sorts keys of three bytes, many of them equal, and values that say where each was.
template <class Space>
void sort_often(const Space& space) {
  constexpr std::uint32_t n = 10'007;
  const data::Array<Space, std::uint32_t> random("keys", n), keys("keys", n), values("values", n);
  data::fill(space, random, [](std::int64_t i) { return data::uniform_at<float>(1, i) * 70'000; });
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return random(a) < random(b); });
  const kernels::RadixWorkspace<Space, std::uint32_t, std::uint32_t, FewThreads> work(space, n);
  for (int k = 0; k < repeats; ++k) {
    Kokkos::deep_copy(keys, random);
    data::fill(space, values, [](std::int64_t i) { return i; });
    const auto sorted = kernels::radix_sort(space, keys, values, work);
    space.fence();
    int wrong = 0;
    for (std::uint32_t i = 0; i < n; ++i)
      wrong += sorted.values(i) != order[i] || sorted.keys(i) != random(order[i]);
    INFO(space_name<Space>() << ", run " << k);
    REQUIRE(wrong == 0);
  }
}

}  // namespace

TEST_CASE("rows with teams are right with several threads in a team, time after time") {
  for (const auto& exercise : exercises()) {
    DYNAMIC_SECTION(exercise.name) {
      test::for_each_instance(exercise.name, [](const Exercise& e, const Instance& instance) {
        // Some teams of whole blocks, and one of less.
        const bool has_n = std::any_of(e.parameters.begin(), e.parameters.end(),
                                       [](const Parameter& p) { return p.name == "n"; });
        const bool square = e.name == "matmul" || e.name == "integration2d";
        const test::Assignments small{{"n", square ? "31" : "5003"}};
        const auto set = has_n ? small : test::Assignments{};
        for (int size = 2; size <= std::min(4, test::largest_team(instance.space)); ++size)
          for (const auto& row : test::plan_of(e, instance, set, size).rows)
            if (row.team_size == size && row.unavailable.empty() && !row.expected_to_fail)
              verify_often(row);
      });
    }
  }
}

TEST_CASE("the radix sort is right with several threads in a team, time after time") {
  for_each_built_in_space([]<class Space>() {
    if constexpr (kernels::is_host_space<Space>)
      if (largest_team<Space>() >= FewThreads::threads) sort_often(Space{});
  });
}
