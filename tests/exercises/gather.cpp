// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "gather/lesson.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <string>
#include <vector>

#include "platform/base/error.hpp"
#include "platform/device/spaces.hpp"
#include "support/rows.hpp"

using namespace parallax;

namespace {

/// The course's array 0, 1.1, ... 5.5, and a list of indices, in a space's memory.
template <class Space>
struct Course {
  Kokkos::View<double*, typename Space::memory_space> array{"array", 6}, out;
  Kokkos::View<std::int64_t*, typename Space::memory_space> index;

  explicit Course(const std::vector<std::int64_t>& indices)
      : out("out", indices.size()), index("index", indices.size()) {
    const auto a = Kokkos::create_mirror_view(Kokkos::HostSpace{}, array);
    for (int i = 0; i < 6; ++i) a(i) = 1.1 * i;
    const auto k = Kokkos::create_mirror_view(Kokkos::HostSpace{}, index);
    for (std::size_t i = 0; i < indices.size(); ++i) k(i) = indices[i];
    Kokkos::deep_copy(array, a);
    Kokkos::deep_copy(index, k);
    Kokkos::deep_copy(out, -1.0);
  }
  [[nodiscard]] std::vector<double> result() const {
    const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, out);
    return {h.data(), h.data() + h.size()};
  }
};

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
  for_each_built_in_space([]<class Space>() {
    Course<Space> course({2, 3, 5, 6, 7, 8});
    kernels::gather_wrap(Space{}, course.array, course.index, course.out);
    const std::vector expected{1.1 * 2, 1.1 * 3, 1.1 * 5, 0.0, 1.1, 1.1 * 2};
    CHECK(course.result() == expected);
    Course<Space> staged({2, 3, 5, 6, 7, 8});
    kernels::gather_team_scratch(Space{}, 1, staged.array, staged.index, staged.out);
    CHECK(staged.result() == expected);
    Course<Space> far({-1, -6, -7, 6, 600, -600});
    kernels::gather_wrap(Space{}, far.array, far.index, far.out);
    CHECK(far.result() == std::vector{1.1 * 5, 0.0, 1.1 * 5, 0.0, 0.0, 0.0});
  });
  const auto result = test::result_of("gather", "wrap", {{"n", "6"}, {"input", "course"}});
  CHECK(test::number(result, "out_3") == 0);
  CHECK(test::number(result, "out_5") == 1.1 * 2);
}

TEST_CASE("checked refuses before the launch, in one line, and touches nothing") {
  for_each_built_in_space([]<class Space>() {
    const auto refused = [](const std::vector<std::int64_t>& indices, const std::string& words) {
      Course<Space> course(indices);
      const auto labels = test::labels_of([&] {
        CHECK_THROWS_MATCHES(
            kernels::gather_checked(Space{}, course.array, course.index, course.out),
            std::out_of_range, Catch::Matchers::Message(words));
      });
      for (const auto& label : labels) CHECK(label != "parallax::gather::checked");
      CHECK(course.result() == std::vector<double>(indices.size(), -1.0));
    };
    refused({2, 3, 5, 6, 7, 8}, "index 6 is out of bounds for axis 0 with size 6");
    refused({0, -7}, "index -7 is out of bounds for axis 0 with size 6");
    refused({std::int64_t{1} << 40}, "index 1099511627776 is out of bounds for axis 0 with size 6");
    Course<Space> course({-1, 0, -6, 5});
    kernels::gather_checked(Space{}, course.array, course.index, course.out);
    CHECK(course.result() == std::vector{1.1 * 5, 0.0, 0.0, 1.1 * 5});
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

TEST_CASE("gathering from or with nothing") {
  for_each_built_in_space([]<class Space>() {
    Course<Space> none({});
    kernels::gather_checked(Space{}, none.array, none.index, none.out);
    kernels::gather_wrap(Space{}, none.array, none.index, none.out);
    CHECK(none.result().empty());
    Course<Space> course({0});
    CHECK_THROWS_MATCHES(
        kernels::require_in_bounds(Space{}, course.index, 0), std::out_of_range,
        Catch::Matchers::Message("index 0 is out of bounds for axis 0 with size 0"));
  });
  const auto& e = find_exercise("gather");
  Parameters parameters(e.parameters, Size::tiny, true, 1);
  CHECK_THROWS_AS(parameters.set("n", "0"), UsageError);
  CHECK_THROWS_AS(parameters.set("n", "-1"), UsageError);
}
