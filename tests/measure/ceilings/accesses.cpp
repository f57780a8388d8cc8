// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <set>
#include <vector>

#include "measure/ceilings/access_kernels.hpp"
#include "measure/ceilings/ceilings.hpp"
#include "measure/ceilings/measure_accesses.hpp"
#include "platform/device/spaces.hpp"

using namespace parallax;
using namespace parallax::access_kernels;

TEST_CASE("a random order has every place once") {
  for (const int bits : {0, 1, 2, 5, 12, 13}) {
    INFO(bits);
    const std::uint32_t places = std::uint32_t{1} << bits;
    std::set<std::uint32_t> seen;
    for (std::uint32_t k = 0; k < places; ++k) seen.insert(shuffled(k, bits));
    CHECK(seen.size() == places);
    CHECK(*seen.rbegin() == places - 1);
  }
}

namespace {

template <class Space>
std::vector<std::int64_t> host_copy(const Table<Space, std::int64_t>& table) {
  const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, table);
  return {h.data(), h.data() + h.extent(0)};
}

template <class Space>
Table<Space, std::int64_t> counted(std::int64_t n) {
  return Table<Space, std::int64_t>("table", static_cast<std::size_t>(n));
}

}  // namespace

TEST_CASE("atomic additions touch every element of the table, as often as they are counted") {
  for_each_built_in_space([]<class Space>() {
    INFO(space_name<Space>());
    const Space space;
    constexpr int bits = 13;
    const auto places = random_places(space, bits);
    const auto anywhere = [=](std::uint32_t mask, std::uint32_t salt) {
      return Anywhere<Space>{places, mask, salt};
    };
    const auto in_order = [](std::uint32_t mask, std::uint32_t) { return InOrder{mask}; };
    // One address; fewer elements than places; one for each.
    for (const std::int64_t n : {1, 64, 1 << bits}) {
      const Amount amount{1 << bits, 2};
      const auto check = [&](const auto& at) {
        const auto table = counted<Space>(n);
        const auto ways = ways_to_add(space, table, 8.0 * static_cast<double>(n), amount, at);
        // A device's second way counts in words of 32 bits.
        const std::size_t whole = on_host<Space> ? ways.size() : 1;
        for (std::size_t k = 0; k < whole; ++k) {
          CHECK(ways[k].amount == 2 << bits);
          ways[k].run();
          space.fence();
          const auto each = static_cast<std::int64_t>(k + 1) * (2 << bits) / n;
          for (const auto count : host_copy<Space>(table)) REQUIRE(count == each);
        }
      };
      check(anywhere);
      check(in_order);
    }
  });
}

TEST_CASE("random loads read every element of a table, whatever the salt of the run") {
  for_each_built_in_space([]<class Space>() {
    INFO(space_name<Space>());
    const Space space;
    constexpr std::int64_t n = 1 << 12;
    const auto table = counted<Space>(n);
    const auto h = Kokkos::create_mirror_view(table);
    for (std::int64_t i = 0; i < n; ++i) h(i) = i;
    Kokkos::deep_copy(table, h);
    const auto places = random_places(space, 12);
    for (const std::uint32_t salt : {0u, 0x9e3779b0u}) {
      using At = Anywhere<Space>;
      const Amount amount{n, 4};
      const Table<Space, std::int64_t> sums(
          "sums", static_cast<std::size_t>(workers_for(space, amount, 4)));
      visit<4, std::int64_t>("parallax::test", space, amount,
                             Load<Space, std::int64_t, At>{table, {places, n - 1, salt}}, sums);
      std::int64_t total = 0;
      for (const auto sum : host_copy<Space>(sums)) total += sum;
      CHECK(total == 4 * n * (n - 1) / 2);
    }
    for (const auto& way : ways_to_load(space, table, 8.0 * n, places, {n, 4}))
      CHECK(way.amount == 4 * n);
  });
}

TEST_CASE("a table larger than the list of places is read at different elements") {
  using Space = Kokkos::DefaultHostExecutionSpace;
  const auto places = random_places(Space{}, 10);
  for (const std::uint32_t salt : {0u, 0x9e3779b0u}) {
    const Anywhere<Space> at{places, (1u << 20) - 1, salt};
    std::set<std::uint32_t> seen;
    for (std::int64_t k = 0; k < 1024; ++k) seen.insert(at(k));
    CHECK(seen.size() == 1024);
    CHECK(*seen.rbegin() < (1u << 20));
    CHECK(*seen.rbegin() >= (1u << 19));
  }
}

namespace {

/// Reading at 1 GB/s, 1 ns a flop; L1 of 1000 bytes. 1e6 random loads a second in memory.
Ceilings with_accesses() {
  Ceilings c;
  c.triad = c.copy = c.read = c.write = 1e9;
  c.fma_f32 = c.fma_f64 = 1e9;
  c.caches = {{1, 1000, 1}};
  c.ladder.accesses = {{"random", {{1000, 1e8, true}, {1e6, 1e6, false}}},
                       {"atomic", {{8, 1e5, true}, {1000, 1e7, true}}},
                       {"atomic_in_order", {{512, 1e8, true}}}};
  return c;
}

Work reading(double bytes, const std::vector<Accesses>& accesses = {}) {
  return {.bytes = bytes, .traffic = Traffic::read, .accesses = accesses};
}

}  // namespace

TEST_CASE("of all parts of a work the one that takes longest is its ceiling") {
  const auto c = with_accesses();
  const auto slow = bound(c, reading(1000, {{Access::random, 10, 1e6}}), "f64");
  CHECK(slow.name == "random");
  CHECK(std::abs(slow.least_ns - 1e4) < 1e-6);
  CHECK(slow.level == "memory");
  CHECK(slow.unsure);
  CHECK(slow.without_atomics.empty());
  CHECK(label_of(slow) == "random");
  // In a cache these loads are quick, and reading takes longer.
  CHECK(bound(c, reading(1000, {{Access::random, 10, 1000}}), "f64").name == "read");
  const auto cached = bound(c, reading(1, {{Access::random, 10, 1000}}), "f64");
  CHECK(label_of(cached) == "random L1");
  CHECK_FALSE(cached.unsure);
  // Arithmetic is a part as well.
  CHECK(bound(c, {.flops = 1e6, .accesses = {{Access::random, 10, 1e6}}}, "f64").name == "fma_f64");
}

TEST_CASE("atomic additions are held against those of their place, and the work without them") {
  const auto c = with_accesses();
  const auto one = bound(c, with_atomics(reading(1000), {Access::atomic, 1, 8}), "f64");
  CHECK(one.name == "atomic_one");
  CHECK(std::abs(one.least_ns - 1e4) < 1e-6);
  CHECK(one.without_atomics == "read");
  CHECK(std::abs(one.without_atomics_ns - 1000) < 1e-6);
  const auto spread = bound(c, with_atomics(reading(1000), {Access::atomic, 100, 1000}), "f64");
  CHECK(label_of(spread) == "atomic L1");
  const auto order =
      bound(c, with_atomics(reading(1000), {Access::atomic_in_order, 200, 1e9}), "f64");
  CHECK(order.name == "atomic_in_order");
  CHECK(order.level.empty());
  // Few of them hide behind the reading.
  const auto few = bound(c, with_atomics(reading(1000), {Access::atomic, 1, 1000}), "f64");
  CHECK(few.name == "read");
  CHECK(few.without_atomics.empty());
  // None is no atomic addition.
  CHECK(bound(c, with_atomics(reading(1000), {Access::atomic, 0, 8}), "f64").name == "read");
}

TEST_CASE("what crosses the bus is held against the slower direction, or the arithmetic") {
  auto c = with_accesses();
  const Work both = crossing({2000, 1000});
  CHECK(both.bytes == 3000);
  CHECK(bound(c, both, "f64").name.empty());  // a host has no bus
  c.ladder.accesses["h2d"] = {{1000, 1e9, true}};
  c.ladder.accesses["d2h"] = {{1000, 4e8, true}};
  CHECK(bound(c, both, "f64").name == "d2h");
  CHECK(std::abs(bound(c, both, "f64").least_ns - 2500) < 1e-6);
  CHECK(bound(c, crossing({2000, 0}), "f64").name == "h2d");
  const Row kernel{.variant = "range", .work = {.bytes = 7, .flops = 5000, .items = 3}};
  const auto row = end_to_end_row(kernel, {2000, 1000}, {}, [] {});
  CHECK(row.work.bytes == 3000);
  CHECK(row.work.items == 3);
  CHECK(bound(c, row.work, "f64").name == "fma_f64");
  CHECK_FALSE(end_to_end_row(kernel, {2000, 1000}, {}, {}).unavailable.empty());
}

TEST_CASE("without a measured part, nothing is said of the whole") {
  auto c = with_accesses();
  c.ladder.accesses.erase("random");
  CHECK(bound(c, reading(1000, {{Access::random, 10, 1e6}}), "f64").name.empty());
  CHECK(bound(c, reading(1000), "f64").name == "read");
}

TEST_CASE("the accesses of a space are measured by size, and described") {
  auto space = describe_space(space_names().front());
  space.memory_free = 4 << 20;  // tables up to 256 KiB
  const std::vector<Cache> caches{{1, 32768, 1}, {2, 65536, 1}};
  Ceilings c;
  c.space = space.name;
  c.caches = caches;
  c.ladder.accesses = measure_accesses(space, caches);
  for (const char* kind : {"random", "atomic", "atomic_in_order"}) {
    INFO(kind);
    REQUIRE(c.ladder.accesses.contains(kind));
    for (const auto& rung : c.ladder.accesses[kind]) CHECK((rung.rate > 0 && rung.bytes >= 8));
  }
  const auto& random = c.ladder.accesses["random"];
  REQUIRE(random.size() >= 3);
  for (std::size_t k = 1; k < random.size(); ++k) CHECK(random[k].bytes > random[k - 1].bytes);
  CHECK(random.back().bytes == 262144);
  CHECK(c.ladder.accesses["atomic"].front().bytes == 8);
  CHECK(c.ladder.accesses.contains("h2d") != space.on_host);
  const auto text = described_accesses(c);
  CHECK(text.find("one address ") != std::string::npos);
  CHECK(text.find(" in sectors of ") != std::string::npos);
  CHECK(described_accesses({}).empty());
}
