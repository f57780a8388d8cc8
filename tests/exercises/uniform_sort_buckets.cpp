// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// uniform_sort: a rank's keys, cut into buckets by a sample, and sorted one by one.
#include <Kokkos_Core.hpp>
#include <Kokkos_Sort.hpp>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <vector>

#include "device/radix_sort.hpp"
#include "platform/device/spaces.hpp"
#include "support/sort_keys.hpp"
#include "uniform_sort/library.hpp"
#include "uniform_sort/sample.hpp"
#include "uniform_sort/splitters.hpp"

using namespace parallax;
using namespace parallax::test;

TEST_CASE("a sample says where its codes are, in order, and how many are less than one") {
  using Bits = std::uint64_t;
  std::vector<std::vector<Bits>> samples{{7}, {5, 5, 5}, {0, ~Bits{0}}, {~Bits{0}, 3, 3, 0, 9}};
  std::vector<Bits> many;
  for (Bits i = 1; i < 20'000; ++i) many.push_back(i * 0x9E3779B97F4A7C15 >> (i % 3 * 20));
  samples.push_back(many);
  for (const auto& codes : samples) {
    auto sorted = codes;
    std::sort(sorted.begin(), sorted.end());
    uniform_sort::Sample<Bits> sample(codes);
    REQUIRE(sample.size() == codes.size());
    for (std::size_t k = 0; k < codes.size(); k += codes.size() / 97 + 1) {
      CHECK(sample.at(k) == sorted[k]);
      for (const Bits code : {sorted[k], sorted[k] - 1, sorted[k] + 1})
        CHECK(sample.below(code) ==
              static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), code) -
                                       sorted.begin()));
    }
  }
  CHECK(uniform_sort::roundest<Bits>(4, 9) == 8);
  CHECK(uniform_sort::roundest<Bits>(8, 9) == 9);
  CHECK(uniform_sort::roundest<Bits>(0, 7) == 4);
  CHECK(uniform_sort::roundest<Bits>(0x7000, 0x8abc) == 0x8000);
}

namespace {

/// Keys of one rank in any number of buckets, by a sort that says where it put them.
template <class Space, class Key>
void require_sorted_in_buckets(const std::vector<Key>& keys, std::size_t parts) {
  INFO(space_name<Space>() << ", " << sizeof(Key) << " bytes, " << keys.size() << " keys, " << parts
                           << " buckets");
  const Space space;
  const auto n = static_cast<std::int64_t>(keys.size());
  Share share;
  share.count = share.total = n;
  const uniform_sort::BySplitters<Space, Key> by(share, parts);
  const kernels::RadixWorkspace<Space, Key> radix(space, by.capacity());
  using Unsorted = uniform_sort::Unsorted<Space, Key>;
  std::size_t sorts = 0;
  std::vector<uniform_sort::Sorter<Space, Key>> sorters{[&](const Unsorted& x) {
    ++sorts;
    auto work = radix;
    work.keys = x.second;
    return kernels::radix_sort(space, x.keys, work, x.third, x.range);
  }};
  // A library's -0.0 is 0.0, as in the keys of 32 bits below.
  if constexpr (sizeof(Key) == 8)
    sorters.push_back(
        [&, library = bindings::LibrarySort<Space, Key>(space, by.capacity())](const Unsorted& x) {
          ++sorts;
          if constexpr (kernels::is_host_space<Space>) Kokkos::sort(space, x.keys);
          return library(space, x.keys, x.second, x.third, x.range);
        });
  auto sorted = keys;
  std::sort(sorted.begin(), sorted.end(), before<Key>);
  const auto expected = host_bits(device_copy<Space>(sorted));
  for (const auto& sorter : sorters) {
    sorts = 0;
    const auto unsorted = device_copy<Space>(keys);
    CHECK(host_bits(by.sorts(space, unsorted, radix.keys, sorter)()) == expected);
    CHECK(sorts == parts);  // else its keys did not fit the buckets
  }
}

}  // namespace

TEST_CASE("a rank's keys are sorted in as many buckets as one asks for") {
  for_each_built_in_space([]<class Space>() {
    for (const std::size_t n : {1024, 20'011, 300'007})
      for (const std::size_t parts : {2, 3, 16}) {
        std::vector<double> uniform;
        std::vector<float> around_zero;
        for (std::size_t i = 0; i < n; ++i) {
          const auto x = static_cast<double>((i + 1) * 0x9E3779B97F4A7C15 >> 11) * 0x1p-53;
          uniform.push_back(5 + 5 * x);
          around_zero.push_back(i % 16 != 0   ? static_cast<float>(x - 0.5)
                                : i % 32 != 0 ? 0.0F
                                              : -0.0F);
        }
        require_sorted_in_buckets<Space>(uniform, parts);
        require_sorted_in_buckets<Space>(around_zero, parts);
      }
  });
}
