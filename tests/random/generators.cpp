// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The generators against published vectors, against plain serial ones, and against themselves in
// every space.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "exercise/reference_random.hpp"
#include "platform/device/spaces.hpp"
#include "random/fill.hpp"
#include "random/xoroshiro.hpp"

using namespace parallax;

namespace {

void require_block(random::Block counter, random::PhiloxKey key,
                   std::array<std::uint32_t, 4> known) {
  const auto block = random::philox4x32(counter, key);
  for (std::size_t k = 0; k < 4; ++k) CHECK(block.word[k] == known[k]);
}

template <class Space>
void require_serial_states(std::int64_t n) {
  const auto states = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace{}, random::make_xoroshiro_states(Space{}, 12345, n));
  Kokkos::fence();
  INFO(n << " states");
  CHECK(reference::differing(states, reference::streams(12345, n)) == 0);
}

template <class Space, class T>
void require_serial_uniforms(std::int64_t n, std::int64_t begin) {
  const Kokkos::View<T*, typename Space::memory_space> x("x", n);
  random::fill_uniform(Space{}, x, T(5), T(10), 77, begin);
  const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x);
  Kokkos::fence();
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::uint64_t>(begin + i);
    if (h(i) != reference::uniform<T>(77, k, 5, 10)) ++wrong;
    if (h(i) != random::uniform_at(random::Uniform<T>(5, 10), 77, k)) ++wrong;
  }
  INFO(n << " uniforms from number " << begin);
  CHECK(wrong == 0);
}

/// Normals may differ by rounding between compilers, not by more.
template <class Space, class T>
void require_same_normals(std::int64_t n) {
  const Kokkos::View<T*, typename Space::memory_space> x("x", n);
  random::fill_normal(Space{}, x, T(0), T(1), 78);
  const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, x);
  Kokkos::fence();
  double worst = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::uint64_t>(i);
    worst = std::max(worst, std::abs(static_cast<double>(h(k)) - random::normal_at<T>(78, k)));
  }
  INFO(n << " normals");
  CHECK(worst <= 16 * std::numeric_limits<T>::epsilon());
}

}  // namespace

TEST_CASE("Philox4x32-10 gives the vectors published with Random123") {
  require_block({{0, 0, 0, 0}}, {0, 0}, {0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8});
  require_block({{~0u, ~0u, ~0u, ~0u}}, {~0u, ~0u},
                {0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD});
  require_block({{0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}}, {0xA4093822, 0x299F31D0},
                {0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1});
}

TEST_CASE("blocks of Philox side by side are those made one by one") {
  // The seed has an upper word, and the lower word of the counter overflows on the way.
  constexpr std::uint64_t seed = 0x100000063, first = 0xFFFFFFFA;
  const auto blocks = random::philox_blocks<16>(seed, first, 3);
  for (int l = 0; l < 16; ++l) {
    const auto one = random::philox_block(seed, first + static_cast<std::uint64_t>(l), 3);
    const auto plain = reference::philox(seed, first + static_cast<std::uint64_t>(l), 3);
    for (std::size_t k = 0; k < 4; ++k) {
      CHECK(blocks.word[k][l] == one.word[k]);
      CHECK(plain[k] == one.word[k]);
    }
    CHECK(blocks.bits64(1, l) == one.bits64(1));
  }
}

TEST_CASE("xoroshiro128+ steps as its authors' program does") {
  random::Xoroshiro state{1, 2};  // the first three outputs of the published code from this state
  CHECK(state.next() == 3);
  random::Xoroshiro a{0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9};
  auto b = reference::Xoroshiro{a.s0, a.s1};
  for (int i = 0; i < 1000; ++i) REQUIRE(a.next() == b.next());
}

TEST_CASE("a jump is linear, and its table is its square root squared") {
  random::JumpTable one, two;
  one.tabulate([](random::Xoroshiro s) { return s.jump(), s; });
  two.tabulate([&](const random::Xoroshiro& s) { return one(one(s)); });
  random::Xoroshiro s{123456789, 987654321};
  const auto by_table = two(s);
  s.jump();
  s.jump();
  CHECK(by_table.s0 == s.s0);
  CHECK(by_table.s1 == s.s1);
}

TEST_CASE("states made in parallel are those of serial jumps, in every space") {
  for_each_built_in_space([]<class Space>() {
    INFO(space_name<Space>());
    for (const std::int64_t n : {0, 1, 2, 3, 31, 64, 1009}) require_serial_states<Space>(n);
  });
}

TEST_CASE("arrays of random numbers are the same in every space, at odd sizes") {
  for_each_built_in_space([]<class Space>() {
    INFO(space_name<Space>());
    for (const std::int64_t n : {0, 1, 2, 3, 5, 31, 32, 33, 127, 1009}) {
      for (const std::int64_t begin : {0, 1, 2, 7, 4096}) {
        require_serial_uniforms<Space, double>(n, begin);
        require_serial_uniforms<Space, float>(n, begin);
      }
      require_same_normals<Space, double>(n);
      require_same_normals<Space, float>(n);
    }
  });
}

TEST_CASE("an array that is not aligned for wide stores is filled too") {
  const Kokkos::View<double*, Kokkos::HostSpace> x("x", 102);
  const auto part = Kokkos::subview(x, Kokkos::pair<std::size_t, std::size_t>(1, 101));
  random::fill_uniform(Kokkos::DefaultHostExecutionSpace{}, part, 5.0, 10.0, 77);
  Kokkos::fence();
  CHECK(x(0) == 0);
  CHECK(x(101) == 0);
  for (std::uint64_t i = 0; i < 100; ++i) CHECK(part(i) == reference::uniform(77, i, 5.0, 10.0));
}
