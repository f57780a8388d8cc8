// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "gather/lesson.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <functional>
#include <string>
#include <vector>

#include "platform/base/error.hpp"
#include "platform/device/spaces.hpp"
#include "support/rows.hpp"

using namespace parallax;

namespace {

/// Calls f with each row of the course's array 0, 1.1, ... 5.5, in each space.
void for_each_row(const std::function<void(const Row&)>& f) {
  test::for_each_instance("gather", [&](const Exercise& e, const Specialization& instance) {
    for (const auto& row : test::plan_of(e, instance, {{"n", "6"}}).rows) {
      INFO(row.variant);
      f(row);
    }
  });
}

}  // namespace

TEST_CASE("gather is right for odd sizes, random and negative indices in every space") {
  test::verify_everywhere("gather", {{{"n", "0"}},
                                     {{"n", "1"}},
                                     {{"n", "2"}},
                                     {{"n", "257"}},
                                     {{"n", "1009"}, {"input", "negative"}},
                                     {{"n", "1"}, {"input", "course"}},
                                     {{"n", "7"}, {"input", "course"}},
                                     {{"n", "1"}, {"input", "in_range"}},
                                     {{"n", "2049"}, {"input", "in_range"}},
                                     {{"n", "32768"}, {"input", "negative"}},
                                     {{"n", "65536"}, {"input", "far"}},
                                     {{"n", "65537"}}});
}

TEST_CASE("every variant gives the course's values for indices in range") {
  for (const std::string variant : {"checked", "wrap", "unchecked", "team_scratch"}) {
    INFO(variant);
    const auto result = test::result_of("gather", variant, {{"n", "6"}, {"input", "in_range"}});
    CHECK(test::number(result, "out_0") == 2.2);
    CHECK(test::number(result, "out_1") == 1.1 * 3);
    CHECK(test::number(result, "out_2") == 5.5);
    CHECK(test::number(result, "sum") == 2.2 + 1.1 * 3 + 5.5);
  }
}

TEST_CASE("wrap gives the course's values, for negative indices as well") {
  for_each_row([](const Row& row) {
    if (row.variant != "wrap" && row.variant != "team_scratch") return;
    test::give(row, "index", std::vector<std::int64_t>{2, 3, 5, 6, 7, 8});
    CHECK(test::outcome(row) == std::vector{1.1 * 2, 1.1 * 3, 1.1 * 5, 0.0, 1.1, 1.1 * 2});
    test::give(row, "index", std::vector<std::int64_t>{-1, -6, -7, 6, 600, -600});
    CHECK(test::outcome(row) == std::vector{1.1 * 5, 0.0, 1.1 * 5, 0.0, 0.0, 0.0});
  });
  const auto result = test::result_of("gather", "wrap", {{"n", "6"}, {"input", "course"}});
  CHECK(test::number(result, "out_3") == 0);
  CHECK(test::number(result, "out_5") == 1.1 * 2);
}

TEST_CASE("checked refuses before the launch, in one line, and touches nothing") {
  for_each_row([](const Row& row) {
    if (row.variant != "checked") return;
    const auto& out = row.judge.outputs.at(0);
    const auto refused = [&](const std::vector<std::int64_t>& indices, const std::string& words) {
      test::give(row, "index", indices);
      out.write(std::vector<long double>(6, -1));
      const auto labels = test::labels_of([&] {
        CHECK_THROWS_MATCHES(row.run(), std::out_of_range, Catch::Matchers::Message(words));
      });
      for (const auto& label : labels) CHECK(label != "parallax::gather::checked");
      CHECK(out.read() == std::vector<long double>(6, -1));
    };
    refused({2, 3, 5, 6, 7, 8}, "index 6 is out of bounds for axis 0 with size 6");
    refused({0, -7, 0, 0, 0, 6}, "index -7 is out of bounds for axis 0 with size 6");
    refused({0, 0, 0, 0, 0, std::int64_t{1} << 40},
            "index 1099511627776 is out of bounds for axis 0 with size 6");
    test::give(row, "index", std::vector<std::int64_t>{-1, 0, -6, 5, 0, 0});
    CHECK(test::outcome(row) == std::vector{1.1 * 5, 0.0, 0.0, 1.1 * 5, 0.0, 0.0});
  });
}

TEST_CASE("the table shows the refusal, and unchecked is not run on such input") {
  test::for_each_instance("gather", [](const Exercise& e, const Specialization& instance) {
    for (const auto& row : test::plan_of(e, instance, {{"n", "6"}, {"input", "course"}}).rows) {
      if (row.variant == "wrap") CHECK(row.unavailable.empty());
      if (row.variant == "unchecked") CHECK_FALSE(row.unavailable.empty());
      if (row.variant == "checked")
        CHECK(row.unavailable == "index 6 is out of bounds for axis 0 with size 6");
    }
  });
}

TEST_CASE("gathering from nothing is refused") {
  for_each_built_in_space([]<class Space>() {
    const Kokkos::View<std::int64_t*, typename Space::memory_space> index("index", 1);
    CHECK_THROWS_MATCHES(
        kernels::gather::require_in_bounds(Space{}, index, 0), std::out_of_range,
        Catch::Matchers::Message("index 0 is out of bounds for axis 0 with size 0"));
  });
  const auto& e = find_exercise("gather");
  Parameters parameters(e.parameters, Size::tiny, true, 1);
  CHECK_THROWS_AS(parameters.set("n", "0"), UsageError);
  CHECK_THROWS_AS(parameters.set("n", "-1"), UsageError);
}
