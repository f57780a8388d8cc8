// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "uniform_sort/lesson.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <compare>
#include <limits>
#include <numeric>
#include <vector>

#include "exercise/team_size.hpp"
#include "platform/device/spaces.hpp"
#include "support/rows.hpp"
#include "uniform_sort/library.hpp"
#include "uniform_sort/partition.hpp"
#include "uniform_sort/ranks.hpp"
#include "uniform_sort/tuned.hpp"

using namespace parallax;

namespace {

template <class Key>
auto bits(Key key) {
  return std::bit_cast<std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>>(key);
}

/// The order that radix and sample sort promise, by the standard library: of integers by value, of
/// floats IEEE 754's total order, with -0.0 before 0.0 and NaN at both ends by its sign.
template <class Key>
bool before(Key a, Key b) {
  return std::strong_order(a, b) < 0;
}

/// Inputs that break sorts: all bits random, few values, one value, sorted, reversed, and for
/// floats what is not a number.
template <class Key>
std::vector<Key> input(int kind, std::size_t n) {
  using Bits = decltype(bits(Key()));
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t r = random::philox_block(9, i).bits64(0);
    switch (kind) {
      case 0: keys[i] = std::bit_cast<Key>(static_cast<Bits>(r)); break;
      case 1:  // of both signs, where there are two
        keys[i] = static_cast<Key>(r % 7);
        if constexpr (std::is_signed_v<Key>)
          if (r / 7 % 2 != 0) keys[i] = static_cast<Key>(-1 - keys[i]);
        break;
      case 2: keys[i] = Key(42); break;
      case 3: keys[i] = static_cast<Key>(i); break;
      case 4: keys[i] = static_cast<Key>(n - i); break;
      default:
        if constexpr (std::is_floating_point_v<Key>) {
          using Limits = std::numeric_limits<Key>;
          const Key special[] = {Key(0),
                                 -Key(0),
                                 Limits::quiet_NaN(),
                                 -Limits::quiet_NaN(),
                                 Limits::infinity(),
                                 -Limits::infinity(),
                                 Limits::denorm_min(),
                                 -Limits::denorm_min(),
                                 Limits::max(),
                                 Limits::lowest(),
                                 Key(1),
                                 Key(-1)};
          keys[i] = special[r % std::size(special)];
        } else {
          keys[i] = r % 2 == 0 ? std::numeric_limits<Key>::max() : Key(0);
        }
    }
  }
  return keys;
}

template <class Space, class Key>
Kokkos::View<Key*, typename Space::memory_space> device_copy(const std::vector<Key>& x) {
  const Kokkos::View<Key*, typename Space::memory_space> view("keys", x.size());
  Kokkos::deep_copy(view, Kokkos::View<const Key*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                              x.data(), x.size()));
  return view;
}

/// The bits of the view's elements, with which NaN and -0.0 compare as they should.
template <class View>
auto host_bits(const View& view) {
  const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
  Kokkos::fence();
  std::vector<decltype(bits(h(0)))> result;
  for (std::size_t i = 0; i < h.extent(0); ++i)
    result.push_back(bits(typename View::non_const_value_type(h(i))));
  return result;
}

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

/// The sorts of keys of a type that uniform_sort has rows for.
template <class Space, class Key>
void require_sorted(int kind, std::size_t n) {
  INFO(space_name<Space>() << ", " << sizeof(Key) << " bytes, kind " << kind << ", n " << n);
  const Space space;
  const auto keys = input<Key>(kind, n);
  const auto expected = sorted_bits(keys).first;
  const auto size = static_cast<std::int64_t>(n);
  const kernels::RadixWorkspace<Space, Key> work(space, size);
  CHECK(host_bits(kernels::radix_sort(space, device_copy<Space>(keys), work)) == expected);

  // The lesson's sorts compare numbers, and there is no order of NaN, nor of -0.0 and +0.0.
  if (!std::is_floating_point_v<Key> || (kind != 0 && kind < 5)) {
    const auto buffer = device_copy<Space>(keys);
    for (const int most : {4, 4096}) {
      CHECK(host_bits(kernels::uniform_sort::merge(space, most, device_copy<Space>(keys),
                                                   buffer)) == expected);
      CHECK(host_bits(kernels::uniform_sort::team_scratch(space, 1, most, device_copy<Space>(keys),
                                                          buffer)) == expected);
    }
  }

  if constexpr (kernels::is_host_space<Space>) {
    const auto again = device_copy<Space>(keys);
    const kernels::uniform_sort::SampleWorkspace<Space, Key> sample(space, size);
    kernels::uniform_sort::sample(space, again, sample);
    CHECK(host_bits(again) == expected);
  }
}

template <class Key>
void require_sorted_everywhere() {
  for_each_built_in_space([]<class Space>() {
    for (int kind = 0; kind < 6; ++kind)
      for (const std::size_t n : {0, 1, 2, 255, 4097, 8193}) {
        if constexpr (std::is_same_v<Key, std::int64_t>)
          require_places_sorted<Space>(kind, n);
        else
          require_sorted<Space, Key>(kind, n);
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

TEST_CASE("f64 keys sort in total order") { require_sorted_everywhere<double>(); }
TEST_CASE("f32 keys sort in total order") { require_sorted_everywhere<float>(); }
TEST_CASE("u64 keys sort") { require_sorted_everywhere<std::uint64_t>(); }
TEST_CASE("u32 keys sort") { require_sorted_everywhere<std::uint32_t>(); }
TEST_CASE("i64 keys sort with their places") { require_sorted_everywhere<std::int64_t>(); }

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

namespace {

/// Partitions `keys` by `splitters`. Buckets have `room`; every second one is filled from its end.
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
  for (std::int64_t b = 0; b < size; ++b) {
    Key* const begin = out.data() + b * (room + 1);
    buckets.push_back(b % 2 == 0 ? k::Bucket<Key>{begin, 1, room}
                                 : k::Bucket<Key>{begin + room - 1, -1, room});
  }
  const kernels::In<Space, std::int64_t*> counts("counts", buckets.size() * Work::apart);
  Kokkos::deep_copy(counts, 5);  // of an earlier partition
  k::partition(Space(), Work{device_copy<Space>(keys), device_copy<Space>(codes),
                             device_copy<Space>(buckets), counts});
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, out);
  const auto found_counts = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, counts);
  for (std::int64_t b = 0; b < size; ++b) {
    INFO("bucket " << b);
    auto& of_bucket = expected[static_cast<std::size_t>(b)];
    const auto count = static_cast<std::int64_t>(of_bucket.size()), kept = std::min(count, room);
    CHECK(found_counts(b * Work::apart) == count);
    const Key* const begin = found.data() + b * (room + 1);
    const Key* const first = b % 2 == 0 ? begin : begin + room - kept;
    std::vector<Key> written(first, first + kept);
    std::sort(written.begin(), written.end(), before<Key>);
    std::sort(of_bucket.begin(), of_bucket.end(), before<Key>);
    CHECK(std::includes(of_bucket.begin(), of_bucket.end(), written.begin(), written.end(),
                        before<Key>));
    for (std::int64_t i = 0; i <= room; ++i)
      if (begin + i < first || begin + i >= first + kept) CHECK(begin[i] == untouched);
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

TEST_CASE("a large sort crosses many tiles and shares on every host core") {
  for_each_built_in_space([]<class Space>() {
    require_sorted<Space, std::uint64_t>(0, 300'007);
    require_places_sorted<Space>(0, 600'011);
  });
}

namespace {

/// Teams of four threads: with a host's usual team of one thread, no missing barrier would show.
struct FourThreads {
  static constexpr int lanes = 1, groups = 4, items = 64, at_once = 4, scratch_level = 1;
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

TEST_CASE("sorts are right at exact multiples of every block") {
  for_each_built_in_space([]<class Space>() {
    for (const std::size_t n : {8192, 32'768, 65'536, 65'537}) {
      require_sorted<Space, double>(0, n);
      require_places_sorted<Space>(1, n);
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

TEST_CASE("the vendor's sort is refused above the number of keys that it can count") {
  constexpr std::int64_t most_int = std::numeric_limits<int>::max();
  for_each_built_in_space([]<class Space>() {
    using Library = bindings::LibrarySort<Space, float>;
    INFO(space_name<Space>());
    const bool on_host = kernels::is_host_space<Space>;
    CHECK(Library::refusal(most_int).empty() != on_host);
    // CUB counts in 64 bits, hipCUB in an int.
    const bool counts_further = space_name<Space>() == "cuda";
    CHECK(Library::refusal(most_int + 1).empty() == counts_further);
  });
}

TEST_CASE("one workspace serves smaller sorts, one after the other") {
  const Kokkos::DefaultExecutionSpace space;
  using Space = Kokkos::DefaultExecutionSpace;
  const kernels::RadixWorkspace<Space, float> work(space, 50'000);
  for (const std::size_t n : {50'000, 10, 9999, 50'000}) {
    const auto keys = input<float>(0, n);
    auto sorted = keys;
    std::sort(sorted.begin(), sorted.end(), before<float>);
    const auto expected = host_bits(device_copy<Space>(sorted));
    CHECK(host_bits(kernels::radix_sort(space, device_copy<Space>(keys), work)) == expected);
  }
}
