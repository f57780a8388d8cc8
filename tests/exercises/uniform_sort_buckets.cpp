// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Sort.hpp>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <vector>

#include "support/sorted_in_buckets.hpp"
#include "uniform_sort/library.hpp"
#include "uniform_sort/sample.hpp"

using namespace parallax;

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

TEST_CASE("a rank's keys of 64 bits are sorted in as many buckets as one asks for") {
  test::require_sorted_in_buckets<double>(
      [](std::size_t i) { return 5 + 5 * test::mixed(i); },
      []<class Space, class Sorters>(const Space& space, std::int64_t capacity, std::size_t& sorts,
                                     Sorters& sorters) {
        using Library = bindings::LibrarySort<Space, double>;
        sorters.push_back([&, library = Library(space, capacity)](const auto& x) {
          ++sorts;
          if constexpr (kernels::is_host_space<Space>) Kokkos::sort(space, x.keys);
          return library(space, x.keys, x.second, x.third, x.range);
        });
      });
}
