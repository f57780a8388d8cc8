// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// uniform_sort: what several ranks do beside sorting. They merge, and find where to cut.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <tuple>
#include <vector>

#include "platform/device/spaces.hpp"
#include "support/sort_keys.hpp"
#include "uniform_sort/ranks.hpp"

using namespace parallax;
using namespace parallax::test;

TEST_CASE("sorted parts of any length are merged, also those without keys") {
  for_each_built_in_space([]<class Space>() {
    const Space space;
    // More than a host's stretch of 4096 keys in a part, and several parts in one.
    for (const std::vector<std::int64_t>& ends :
         std::vector<std::vector<std::int64_t>>{{0, 0},
                                                {0, 7},
                                                {0, 3, 3},
                                                {0, 0, 5},
                                                {0, 1, 2, 3},
                                                {0, 0, 0, 4099, 4099, 12301, 12301, 12309},
                                                {0, 17, 5000, 5001, 5001, 5001, 9001, 9002, 13001}})
      for (const int kind : {0, 1, 2}) {
        const auto n = static_cast<std::size_t>(ends.back());
        INFO(space_name<Space>() << ", kind " << kind << ", " << ends.size() - 1 << " parts of "
                                 << n);
        auto keys = input<std::uint32_t>(kind, n);
        auto expected = keys;
        std::sort(expected.begin(), expected.end());
        for (std::size_t r = 0; r + 1 < ends.size(); ++r)
          std::sort(keys.begin() + ends[r], keys.begin() + ends[r + 1]);
        const auto buffer = device_copy<Space>(input<std::uint32_t>(3, n));
        namespace k = kernels::uniform_sort;
        const Kokkos::View<std::int64_t*, typename Space::memory_space> splits(
            "splits", k::MergeTile::count(ends.back()) + 1);
        const auto from = device_copy<Space>(keys);
        CHECK(host_bits(k::merge_parts(space, from, buffer, ends, splits)) == expected);
      }
  });
}

TEST_CASE("two sorted runs are merged by tiles, which a team merges in scratch memory") {
  namespace k = kernels::uniform_sort;
  for_each_built_in_space([]<class Space>() {
    constexpr int team = kernels::is_host_space<Space> ? 1 : k::MergeTile::team_size;
    for (const auto& [begin, middle, end] : std::vector<k::Runs>{
             {0, 0, 5}, {3, 9, 9}, {2, 1700, 1794}, {0, 1792, 3584}, {11, 4000, 12301}})
      for (const int kind : {0, 1, 2}) {
        INFO(space_name<Space>() << ", kind " << kind << ", " << middle << " of " << end);
        auto keys = input<std::uint32_t>(kind, static_cast<std::size_t>(end));
        std::sort(keys.begin() + begin, keys.begin() + middle);
        std::sort(keys.begin() + middle, keys.end());
        const auto from = device_copy<Space>(keys), to = device_copy<Space>(keys);
        const Kokkos::View<std::int64_t*, typename Space::memory_space> splits(
            "splits", k::MergeTile::count(end - begin) + 1);
        k::merge_tiles(Space(), from, to, {begin, middle, end}, splits, team);
        std::sort(keys.begin() + begin, keys.end());
        CHECK(host_bits(to) == keys);
      }
  });
}

TEST_CASE("sorted keys of several ranks are cut where they are asked to be, equal ones by rank") {
  using Keys = std::vector<std::uint64_t>;
  constexpr int most = 16;
  for (const std::uint64_t different : {1, 3, 50, 1'000'000}) {
    std::vector<Keys> ranks;
    std::vector<std::int64_t> counts;
    std::vector<std::tuple<std::uint64_t, std::size_t>> all;  // key and rank, in order
    for (const std::size_t n : {0, 1, 700, 15, 16, 17, 5000}) {
      Keys keys;
      for (std::size_t i = 0; i < n; ++i)
        keys.push_back(((i + 977 * ranks.size()) * 0x9E3779B97F4A7C15 >> 20 & 0xFFFFF) % different);
      std::sort(keys.begin(), keys.end());
      for (const auto key : keys) all.emplace_back(key, ranks.size());
      ranks.push_back(keys);
      counts.push_back(static_cast<std::int64_t>(n));
    }
    std::stable_sort(all.begin(), all.end());
    for (std::size_t before = 0; before <= all.size(); before += before < 40 ? 1 : 113) {
      uniform_sort::Cut cut(static_cast<std::int64_t>(before), counts);
      int rounds = 0;
      for (; !cut.is_found() && rounds < 20; ++rounds) {
        std::vector<Keys> samples(ranks.size(), Keys(most));
        for (std::size_t r = 0; r < ranks.size(); ++r)
          for (std::int64_t i = 0; i < cut.of_ranks[r].samples(most); ++i)
            samples[r][i] = ranks[r][cut.of_ranks[r].position(i, most)];
        cut.narrow([&](std::size_t r) { return samples[r].data(); }, most);
      }
      INFO(before << " keys of " << different << " before the cut");
      CHECK(rounds < 20);
      for (std::size_t r = 0; r < ranks.size(); ++r)
        CHECK(cut.of_ranks[r].low ==
              std::count_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(before),
                            [&](const auto& key) { return std::get<1>(key) == r; }));
    }
  }
}
