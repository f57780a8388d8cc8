// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>

#include "support/sorted_in_buckets.hpp"

using namespace parallax;

TEST_CASE("a rank's keys of 32 bits are sorted in as many buckets as one asks for") {
  // No library's: they take -0.0 for 0.0.
  const auto no_more = [](const auto&...) {};
  test::require_sorted_in_buckets<float>(
      [](std::size_t i) {
        return i % 16 != 0 ? static_cast<float>(test::mixed(i) - 0.5) : i % 32 != 0 ? 0.0F : -0.0F;
      },
      no_more);
}
