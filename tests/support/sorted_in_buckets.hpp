// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// uniform_sort: a rank's keys, cut into buckets by a sample, and sorted one by one. A file for each
// size of keys: nvcc takes long for either.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <vector>

#include "device/radix_sort.hpp"
#include "platform/device/spaces.hpp"
#include "support/sort_keys.hpp"
#include "uniform_sort/splitters.hpp"

namespace parallax::test {

/// One rank's keys, in `parts` buckets. Whatever sorts a bucket says where it put the keys.
template <class Space, class Key, class More>
void require_sorted_in_buckets(const std::vector<Key>& keys, std::size_t parts, const More& more) {
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
  more(space, by.capacity(), sorts, sorters);
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

/// The i-th of numbers that are uniform on [0, 1) and in no order.
inline double mixed(std::size_t i) {
  return static_cast<double>((i + 1) * 0x9E3779B97F4A7C15 >> 11) * 0x1p-53;
}

/// For all spaces, lengths, and numbers of buckets. `key` gives the i-th; `more` may add sorts,
/// which count how often they are called.
template <class Key, class More>
void require_sorted_in_buckets(Key (*key)(std::size_t), const More& more) {
  for_each_built_in_space([&]<class Space>() {
    for (const std::size_t n : {1024, 20'011, 300'007})
      for (const std::size_t parts : {2, 3, 16}) {
        std::vector<Key> keys;
        for (std::size_t i = 0; i < n; ++i) keys.push_back(key(i));
        require_sorted_in_buckets<Space>(keys, parts, more);
      }
  });
}

}  // namespace parallax::test
