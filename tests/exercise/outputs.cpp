// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/outputs.hpp"
#include "exercise/messages.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <variant>
#include <vector>

#include "platform/device/spaces.hpp"

using namespace parallax;

namespace {

struct Fills {
  template <class Space>
  void operator()() const {
    const Space space;
    of<std::uint8_t>(space);
    of<std::int32_t>(space);
    of<float>(space);
    of<double>(space);
  }

  template <class T, class Space>
  static void of(const Space& space) {
    for (const std::int64_t n : {0, 1, 7, 1021}) {
      const auto x = data::allocate<T>(space, "an array", n);
      INFO(sizeof(T) << " bytes, n = " << n);
      CHECK(x.extent(0) == static_cast<std::size_t>(n));
      CHECK(x.span_is_contiguous());
      CHECK(x.label() == "an array");
      if (n > 0) CHECK(reinterpret_cast<std::uintptr_t>(x.data()) % 256 == 0);
      // To its last element it is separate memory, which lives as long as a copy of the View.
      const auto same = data::allocate<T>(space, "another", n);
      Kokkos::deep_copy(space, x, T(3));
      Kokkos::deep_copy(space, same, T(4));
      const auto h = data::on_host(x);
      std::int64_t wrong = 0;
      for (std::size_t i = 0; i < h.extent(0); ++i) wrong += h(i) == T(3) ? 0 : 1;
      CHECK(wrong == 0);
    }
  }
};

}  // namespace

TEST_CASE("an array begins at a multiple of 256 bytes, has its size and is its own") {
  for_each_built_in_space(Fills{});
}

TEST_CASE("what is reported of an array: its sum and its ends") {
  const auto x = data::allocate<double>(Kokkos::DefaultHostExecutionSpace(), "x", 3);
  x(0) = 1;
  x(1) = 10;
  x(2) = 100;
  const auto values = data::sum_and_ends(x);
  REQUIRE(values.size() == 3);
  CHECK(values[0].first == "sum");
  CHECK(std::get<double>(values[0].second) == 111);
  CHECK(std::get<double>(values[1].second) == 1);
  CHECK(std::get<double>(values[2].second) == 100);
  const auto none = data::allocate<double>(Kokkos::DefaultHostExecutionSpace(), "none", 0);
  CHECK(data::sum_and_ends(none).size() == 1);
}

namespace {

/// What an output reads of `x`, and again once it has written that in reverse.
template <class X>
void require_numbers(const X& x, const std::vector<long double>& numbers) {
  const auto output = data::output(Kokkos::DefaultHostExecutionSpace(), "x", x);
  CHECK(output.size == static_cast<std::int64_t>(numbers.size()));
  CHECK(output.read() == numbers);
  const std::vector<long double> reversed(numbers.rbegin(), numbers.rend());
  output.write(reversed);
  CHECK(output.read() == reversed);
}

template <class T>
void require_pair(T first, T second) {
  const Kokkos::View<T*, Kokkos::HostSpace> x("x", 2);
  x(0) = first;
  x(1) = second;
  require_numbers(x, {static_cast<long double>(first), static_cast<long double>(second)});
  CHECK(x(0) == second);
}

template <class Layout>
void require_rows() {
  const Kokkos::View<float**, Layout, Kokkos::HostSpace> x("x", 2, 3);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) x(i, j) = static_cast<float>(10 * i + j);
  require_numbers(x, {0, 1, 2, 10, 11, 12});
  CHECK(x(0, 2) == 10);
  CHECK(x(1, 0) == 2);
}

}  // namespace

TEST_CASE("an output's numbers are read and written with their signs, row by row") {
  require_pair<std::uint8_t>(200, 7);
  require_pair<std::int32_t>(-2'000'000'000, 7);
  require_pair<std::uint32_t>(4'000'000'000, 7);
  require_pair<std::int64_t>(-(std::int64_t{1} << 62) - 1, 7);
  require_pair(-0.5f, 7.0f);
  require_pair(1e300, -7.0);
  require_rows<Kokkos::LayoutLeft>();
  require_rows<Kokkos::LayoutRight>();
}
