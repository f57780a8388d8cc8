// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// uniform_sort: several ranks partition their keys by splitters.
#include "uniform_sort/partition.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "platform/device/spaces.hpp"
#include "support/sort_keys.hpp"

using namespace parallax;
using namespace parallax::test;

namespace {

/// Partitions `keys` by `splitters`. Buckets have `room`.
template <class Space, class Key>
void require_partitioned(const std::vector<Key>& keys, const std::vector<Key>& splitters,
                         std::int64_t room) {
  namespace k = kernels::uniform_sort;
  using Work = k::Partition<Space, Key>;
  using Bits = k::BitsOf<Key>;
  INFO(space_name<Space>() << ", " << sizeof(Key) << " bytes, " << keys.size() << " keys, "
                           << splitters.size() << " splitters, room for " << room);
  std::vector<Bits> codes;
  for (const Key key : splitters) codes.push_back(k::code_of(key));
  std::vector<std::vector<Key>> expected(splitters.size() + 1);
  for (const Key key : keys)
    expected[std::upper_bound(codes.begin(), codes.end(), k::code_of(key)) - codes.begin()]
        .push_back(key);

  // A key more than there is room for, between buckets, shows what is written beyond one.
  const auto size = static_cast<std::int64_t>(expected.size());
  const Key untouched(77);
  const auto out =
      device_copy<Space>(std::vector<Key>(static_cast<std::size_t>(size * (room + 1)), untouched));
  std::vector<k::Bucket<Key>> buckets;
  for (std::int64_t b = 0; b < size; ++b)
    buckets.push_back(k::Bucket<Key>{out.data() + b * (room + 1), room});
  const kernels::In<Space, std::int64_t*> counts("counts", buckets.size() * Work::apart);
  Kokkos::deep_copy(counts, 5);  // of an earlier partition
  // Of a sample the middle code: partitions find the others.
  std::vector<Bits> all;
  for (const Key key : keys) all.push_back(k::code_of(key));
  std::sort(all.begin(), all.end());
  const Bits middle = all.empty() ? Bits{7} : all[all.size() / 2];
  const auto range = device_copy<Space>(std::vector<Bits>{middle, middle});
  k::partition(Space(), Work{device_copy<Space>(keys), device_copy<Space>(codes),
                             device_copy<Space>(buckets), counts, range});
  const auto ends = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, range);
  CHECK(ends(0) == (all.empty() ? middle : all.front()));
  CHECK(ends(1) == (all.empty() ? middle : all.back()));
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, out);
  const auto found_counts = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, counts);
  for (std::int64_t b = 0; b < size; ++b) {
    INFO("bucket " << b);
    auto& of_bucket = expected[static_cast<std::size_t>(b)];
    const auto count = static_cast<std::int64_t>(of_bucket.size()), kept = std::min(count, room);
    CHECK(found_counts(b * Work::apart) == count);
    const Key* const begin = found.data() + b * (room + 1);
    std::vector<Key> written(begin, begin + kept);
    std::sort(written.begin(), written.end(), before<Key>);
    std::sort(of_bucket.begin(), of_bucket.end(), before<Key>);
    CHECK(std::includes(of_bucket.begin(), of_bucket.end(), written.begin(), written.end(),
                        before<Key>));
    for (std::int64_t i = kept; i <= room; ++i) CHECK(begin[i] == untouched);
  }
}

template <class Key>
void require_partitioned_everywhere() {
  for_each_built_in_space([]<class Space>() {
    for (const int kind : {0, 1, 2, 3, 4})
      for (const std::size_t n : {0, 1, 255, 2047, 2048, 2049, 20'011}) {
        if (std::is_floating_point_v<Key> && kind == 0) continue;  // NaN is not in order
        const auto keys = input<Key>(kind, n);
        // 2, 3, 6 and the most buckets, some of them empty.
        for (const std::size_t splitters : {1, 2, 5, 127}) {
          std::vector<Key> chosen;
          for (std::size_t s = 1; s <= splitters && n > 0; ++s)
            chosen.push_back(keys[n * s / (splitters + 1)]);
          chosen.resize(splitters, Key(3));
          std::sort(chosen.begin(), chosen.end());
          require_partitioned<Space, Key>(keys, chosen, static_cast<std::int64_t>(n));
          require_partitioned<Space, Key>(keys, chosen, static_cast<std::int64_t>(n / 7 + 1));
        }
      }
  });
}

}  // namespace

TEST_CASE("keys are partitioned by splitters, and those that there is no room for are counted") {
  require_partitioned_everywhere<double>();
  require_partitioned_everywhere<float>();
  require_partitioned_everywhere<std::uint64_t>();
  require_partitioned_everywhere<std::uint32_t>();
}

TEST_CASE("to a splitter -0.0 is 0.0, as it is to numbers") {
  for_each_built_in_space([]<class Space>() {
    const std::vector<double> keys = {-0.0, 0.0, -1, 1, -0.0};
    require_partitioned<Space, double>(keys, {0.0}, 5);
    require_partitioned<Space, double>(keys, {-0.0}, 5);
  });
  CHECK(kernels::uniform_sort::code_of(-0.0) == kernels::uniform_sort::code_of(0.0));
}
