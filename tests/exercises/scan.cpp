// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "scan/lesson.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "exercise/team_size.hpp"
#include "platform/device/spaces.hpp"
#include "scan/tuned.hpp"
#include "support/rows.hpp"

using namespace parallax;

TEST_CASE("scan is right for odd sizes in every space") {
  test::verify_everywhere("scan", {{{"n", "0"}},
                                   {{"n", "1"}},
                                   {{"n", "2"}},
                                   {{"n", "3"}},
                                   {{"n", "31"}},
                                   {{"n", "1023"}},
                                   {{"n", "1024"}},
                                   {{"n", "1025"}},
                                   {{"n", "4095"}},
                                   {{"n", "4096"}},
                                   {{"n", "4097"}},
                                   {{"n", "32767"}},
                                   {{"n", "32768"}},
                                   {{"n", "32769"}},
                                   {{"n", "300007"}}});
}

TEST_CASE("scan of the lengths 3 0 2 1 gives the offsets 0 3 3 5 6") {
  test::for_each_instance("scan", [](const Exercise& e, const Specialization& instance) {
    if (instance.precision != "i32") return;
    for (const auto& row : test::plan_of(e, instance, {{"n", "4"}}).rows) {
      if (!row.unavailable.empty() || row.phase != "kernel") continue;
      test::give(row, "a", std::vector<std::int32_t>{3, 0, 2, 1});
      INFO(row.variant);
      CHECK(test::outcome(row) == std::vector<double>{0, 3, 3, 5, 6});
    }
  });
}

TEST_CASE("scan keeps the events with two leptons or more, in order") {
  test::for_each_instance("scan", [](const Exercise& e, const Specialization& instance) {
    if (instance.precision != "i64") return;
    for (const auto& row : test::plan_of(e, instance, {{"n", "6"}}).rows) {
      if (row.phase != "compact") continue;
      // The same number of events as the plan keeps: its array of places has that length.
      const auto places = row.judge.outputs.front().size;
      std::vector<std::int64_t> leptons(6, 0);
      for (std::int64_t k = 0; k < places; ++k)
        leptons[static_cast<std::size_t>(5 - k)] = 2 + k % 3;
      test::give(row, "a", leptons);
      std::vector<double> expected;
      for (std::int64_t k = 6 - places; k < 6; ++k) expected.push_back(static_cast<double>(k));
      REQUIRE(places > 0);
      CHECK(test::outcome(row) == expected);
    }
  });
}

TEST_CASE("scan in double differs from scan in float, and the check sees it") {
  test::require_wrong_in_float("scan");
}

TEST_CASE("scan refuses lengths whose sums do not fit") {
  test::for_each_instance("scan", [](const Exercise& e, const Specialization& instance) {
    Parameters p(e.parameters, Size::tiny, true, 1);
    p.set("n", "600000000");
    INFO(instance.precision);
    if (instance.precision == "i32")
      CHECK_THROWS(instance.refuse(p));
    else
      CHECK_NOTHROW(instance.refuse(p));
  });
}

namespace {

/// Many tiles, again and again with the same words: what an earlier run published must not matter.
/// Subviews begin between two packs.
template <class Space, class T>
void look_back_at(std::int64_t n, std::int64_t skip) {
  INFO(space_name<Space>() << ", " << sizeof(T) << " bytes, n " << n << ", from element " << skip);
  using View = Kokkos::View<T*, typename Space::memory_space>;
  const View all("a", n + skip), to("offsets", n + 1 + 2 * skip);
  const auto h = Kokkos::create_mirror_view(all);
  const auto whole = static_cast<std::size_t>(n + skip), first = static_cast<std::size_t>(skip);
  for (std::size_t i = 0; i < whole; ++i) h(i) = static_cast<T>(i % 7);
  Kokkos::deep_copy(all, h);
  const View a = Kokkos::subview(all, std::pair(first, whole));
  const View offsets = Kokkos::subview(to, std::pair(first, whole + 1));
  const Kokkos::View<std::uint64_t*, typename Space::memory_space> words(
      "words", kernels::scan::ScanTile<Space, T>::words(n));
  Kokkos::deep_copy(words, ~std::uint64_t{0});
  for (int run = 0; run < 20; ++run) {
    Kokkos::deep_copy(to, T(-1));
    kernels::scan::look_back(Space(), a, offsets, words);
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, to);
    T sum = 0;
    std::int64_t wrong = 0;
    for (std::size_t i = first; i <= whole; ++i) {
      wrong += found(i) != sum;
      if (i < whole) sum += h(i);
    }
    CHECK(wrong == 0);
    for (std::size_t i = 0; i < first; ++i)
      CHECK((found(i) == T(-1) && found(whole + 1 + i) == T(-1)));
  }
}

}  // namespace

TEST_CASE("scan's look_back is right with many tiles, run after run, and writes nothing beside") {
  for_each_built_in_space([]<class Space>() {
    for (const std::int64_t skip : {0, 1}) {
      look_back_at<Space, std::int32_t>(400'009, skip);
      look_back_at<Space, std::int64_t>(200'003, skip);
      look_back_at<Space, float>(400'009, skip);
      look_back_at<Space, double>(200'003, skip);
    }
  });
}

namespace {

/// What a warp finds before tile 4, and before tile 0, when tile 1 knows the sum up to it.
template <class Space>
std::vector<double> walked() {
  using Sums = kernels::PublishedSums<double>;
  const Kokkos::View<std::uint64_t*, typename Space::memory_space> words("words", 4 * Sums::words);
  const Kokkos::View<double*, typename Space::memory_space> found("found", 2);
  const Sums sums{words.data()};
  Kokkos::parallel_for(
      "publish", Kokkos::RangePolicy<Space>(Space(), 0, 1), KOKKOS_LAMBDA(int) {
        sums.publish(0, Sums::of_tile, 0.1);
        sums.publish(1, Sums::up_to_tile, 1.1e10);
        sums.publish(2, Sums::of_tile, -7);
        sums.publish(3, Sums::of_tile, 0.25);
      });
  using Policy = Kokkos::TeamPolicy<Space>;
  constexpr int lanes = kernels::is_host_space<Space> ? 1 : 32;
  Kokkos::parallel_for(
      "before", Policy(Space(), 1, 1, lanes),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        found(0) = sums.template before<lanes>(team, 4);
        found(1) = sums.template before<lanes>(team, 0);
      });
  const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, found);
  return {h(0), h(1)};
}

}  // namespace

TEST_CASE("a walk back adds up tiles until one knows the sum up to it") {
  for_each_built_in_space([]<class Space>() {
    INFO(space_name<Space>());
    CHECK(walked<Space>() == std::vector<double>{1.1e10 - 6.75, 0});
  });
}
