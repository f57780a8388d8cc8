// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "uniform_sort/lesson.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "exercise/raw_elements.hpp"
#include "exercise/team_size.hpp"
#include "platform/device/spaces.hpp"
#include "support/rows.hpp"
#include "support/sort_keys.hpp"
#include "uniform_sort/library.hpp"
#include "uniform_sort/tuned.hpp"

using namespace parallax;
using namespace parallax::test;

namespace {

/// The keys of `keys` in order, and where each was.
template <class Key>
auto sorted_bits(const std::vector<Key>& keys) {
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return before(keys[a], keys[b]); });
  std::vector<decltype(bits(Key()))> expected;
  for (const auto i : order) expected.push_back(bits(keys[i]));
  return std::pair(expected, order);
}

/// The radix sort of group_sum: 64-bit keys with their places, which are then exactly the order.
template <class Space>
void require_places_sorted(int kind, std::size_t n) {
  INFO(space_name<Space>() << ", with places, kind " << kind << ", n " << n);
  const auto keys = input<std::int64_t>(kind, n);
  const auto [expected, order] = sorted_bits(keys);
  std::vector<std::int32_t> places(n);
  std::iota(places.begin(), places.end(), 0);
  const kernels::RadixWorkspace<Space, std::int64_t, std::int32_t> work(
      Space(), static_cast<std::int64_t>(n));
  const auto sorted =
      kernels::radix_sort(Space(), device_copy<Space>(keys), device_copy<Space>(places), work);
  CHECK(host_bits(sorted.keys) == expected);
  CHECK(host_bits(sorted.values) == order);
}

/// Every sort of the program, of keys that no parameter makes. Only radix and sample sort promise
/// an order of NaN, and of -0.0 and +0.0.
template <class Key>
void require_rows_sort(const Plan& plan, int kind, std::size_t n) {
  const auto keys = input<Key>(kind, n);
  const auto expected = sorted_bits(keys).first;
  const bool numbers = !std::is_floating_point_v<Key> || (kind != 0 && kind < 5);
  int sorted = 0;
  for (const auto& row : plan.rows) {
    if (row.phase != "sort" || !row.unavailable.empty()) continue;
    if (!numbers && row.variant != "radix" && row.variant != "sample") continue;
    INFO(row.variant << ", kind " << kind << ", n " << n);
    row.judge.outputs.at(0).poison();
    row.prepare();
    give(row, "keys", keys);
    row.run();
    Kokkos::fence();
    // Of the bits: reading signalling NaN as numbers changes them.
    CHECK(row.judge.outputs.at(0).hash() ==
          raw::hash(Kokkos::HostSpace::name(), expected.data(), n * sizeof(Key)));
    ++sorted;
  }
  CHECK(sorted > 0);
}

void require_sorted_everywhere(const std::vector<std::size_t>& sizes,
                               const std::vector<int>& kinds) {
  for_each_instance("uniform_sort", [&](const Exercise& e, const Specialization& instance) {
    for (const auto n : sizes) {
      const auto plan = plan_of(e, instance, {{"n", std::to_string(n)}});
      for (const int kind : kinds) {
        if (instance.precision == "f64") require_rows_sort<double>(plan, kind, n);
        if (instance.precision == "f32") require_rows_sort<float>(plan, kind, n);
        if (instance.precision == "u64") require_rows_sort<std::uint64_t>(plan, kind, n);
        if (instance.precision == "u32") require_rows_sort<std::uint32_t>(plan, kind, n);
      }
    }
  });
}

/// The lesson's sorts with short stretches, in which a few keys are many.
template <class Key>
void require_short_stretches() {
  for_each_built_in_space([]<class Space>() {
    const Space space;
    for (const int kind : {1, 2, 3, 4})
      for (const std::size_t n : {0, 1, 2, 255, 4097, 8193}) {
        INFO(space_name<Space>() << ", " << sizeof(Key) << " bytes, kind " << kind << ", n " << n);
        const auto keys = input<Key>(kind, n);
        const auto expected = sorted_bits(keys).first;
        const auto buffer = device_copy<Space>(keys);
        CHECK(host_bits(kernels::uniform_sort::merge(space, 4, device_copy<Space>(keys), buffer)) ==
              expected);
        CHECK(host_bits(kernels::uniform_sort::team_scratch(space, 1, 4, device_copy<Space>(keys),
                                                            buffer)) == expected);
      }
  });
}

}  // namespace

TEST_CASE("uniform_sort is right for odd sizes in every space") {
  test::verify_everywhere("uniform_sort", {{{"n", "0"}},
                                           {{"n", "1"}},
                                           {{"n", "2"}},
                                           {{"n", "3"}},
                                           {{"n", "1009"}},
                                           {{"n", "1023"}},
                                           {{"n", "1025"}},
                                           {{"n", "4095"}},
                                           {{"n", "4096"}},
                                           {{"n", "4097"}},
                                           {{"n", "30011"}},
                                           {{"n", "5000"}, {"low", "-1"}, {"high", "1"}}});
}

TEST_CASE("keys of every type and kind are sorted, floats in total order") {
  require_sorted_everywhere({0, 1, 2, 255, 4097, 8193}, {0, 1, 2, 3, 4, 5});
}
TEST_CASE("sorts are right at exact multiples of every block") {
  require_sorted_everywhere({8192, 32'768, 65'536, 65'537}, {0, 1});
}
TEST_CASE("a large sort crosses many tiles and shares on every host core") {
  require_sorted_everywhere({300'007}, {0});
}
TEST_CASE("the lesson's sorts are right with short stretches") {
  require_short_stretches<float>();
  require_short_stretches<std::uint64_t>();
}
TEST_CASE("i64 keys sort with their places") {
  for_each_built_in_space([]<class Space>() {
    for (int kind = 0; kind < 6; ++kind)
      for (const std::size_t n : {0, 1, 2, 255, 4097, 8193}) require_places_sorted<Space>(kind, n);
    for (const std::size_t n : {8192, 32'768, 65'536, 65'537}) require_places_sorted<Space>(1, n);
    require_places_sorted<Space>(0, 600'011);
  });
}

namespace {

/// Teams of four threads: with a host's usual team of one thread, no missing barrier would show.
struct FourThreads {
  static constexpr int lanes = 1, groups = 4, items = 64, scratch_level = 1;
  static constexpr int threads = lanes * groups, tile = threads * items, teams = 1;
};

}  // namespace

TEST_CASE("a radix sort's teams of several threads wait for each other") {
  for_each_built_in_space([]<class Space>() {
    if constexpr (kernels::is_host_space<Space>) {
      if (largest_team<Space>() < FourThreads::threads) return;
      constexpr std::size_t n = 5000;
      const Space space;
      const auto keys = input<std::uint32_t>(0, n);
      std::vector<std::uint32_t> order(n);
      std::iota(order.begin(), order.end(), 0u);
      std::vector<std::uint32_t> index = order;
      std::stable_sort(order.begin(), order.end(),
                       [&](auto a, auto b) { return keys[a] < keys[b]; });
      const kernels::RadixWorkspace<Space, std::uint32_t, std::uint32_t, FourThreads> work(space,
                                                                                           n);
      for (int k = 0; k < 20; ++k) {
        const auto sorted =
            kernels::radix_sort(space, device_copy<Space>(keys), device_copy<Space>(index), work);
        REQUIRE(host_bits(sorted.values) == order);
      }
    }
  });
}

TEST_CASE("a bucket is sorted by as many digits as its keys differ in") {
  constexpr std::uint32_t n =
      2049;  // the largest is 2^11 above the least: a digit more than 2^11 - 1
  std::vector<std::uint32_t> a(n), b(n), expected(n);
  std::iota(expected.begin(), expected.end(), 5u);
  std::copy(expected.rbegin(), expected.rend(), a.begin());
  kernels::uniform_sort::sort_bucket(a.data(), b.data(), n);
  CHECK(b == expected);
}

TEST_CASE("a library's sort is refused where there is none, and above the number it can count") {
  constexpr std::int64_t most_int = std::numeric_limits<int>::max();
  for_each_built_in_space([]<class Space>() {
    using Library = bindings::LibrarySort<Space, float>;
    INFO(space_name<Space>());
#if defined(PARALLAX_PARALLEL_SORT)
    const bool in_threads = space_name<Space>() == "openmp";
#else
    const bool in_threads = false;
#endif
    CHECK(Library::refusal(most_int).empty() == (in_threads || !kernels::is_host_space<Space>));
    // CUB and the C++ library count in 64 bits, hipCUB in an int.
    const bool counts_further = in_threads || space_name<Space>() == "cuda";
    CHECK(Library::refusal(most_int + 1).empty() == counts_further);
  });
}

TEST_CASE("one workspace serves smaller sorts, one after the other") {
  const Kokkos::DefaultExecutionSpace space;
  using Space = Kokkos::DefaultExecutionSpace;
  const kernels::RadixWorkspace<Space, std::int64_t, std::int32_t> work(space, 50'000);
  for (const std::size_t n : {50'000, 10, 9999, 50'000}) {
    const auto keys = input<std::int64_t>(0, n);
    const auto places = device_copy<Space>(std::vector<std::int32_t>(n));
    CHECK(host_bits(kernels::radix_sort(space, device_copy<Space>(keys), places, work).keys) ==
          sorted_bits(keys).first);
  }
}
