// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "normalize/tuned.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

#include "exercise/outputs.hpp"
#include "measure/verify/trial.hpp"
#include "platform/base/error.hpp"
#include "platform/device/spaces.hpp"
#include "support/rows.hpp"

using namespace parallax;

TEST_CASE("normalize is right for odd sizes in every space") {
  test::verify_everywhere("normalize", {{{"n", "1"}},
                                        {{"n", "2"}},
                                        {{"n", "3"}},
                                        {{"n", "63"}},
                                        {{"n", "1021"}},
                                        {{"n", "8193"}},
                                        {{"n", "65537"}}});
}

TEST_CASE("normalize of values near the largest and below the smallest normal number") {
  test::verify_everywhere("normalize", {{{"n", "1000"}, {"input", "huge"}},
                                        {{"n", "100003"}, {"input", "huge"}},
                                        {{"n", "1000"}, {"input", "subnormal"}}});
}

TEST_CASE("normalize with one sum of squares says that it fails for f64 out of range, and does") {
  test::for_each_instance("normalize", [](const Exercise& e, const Specialization& instance) {
    for (const char* input : {"huge", "subnormal"})
      for (const Row& row : test::plan_of(e, instance, {{"n", "1000"}, {"input", input}}).rows) {
        if (!row.unavailable.empty()) continue;
        INFO(row.variant << " " << input);
        CHECK(row.expected_to_fail ==
              (instance.precision == "f64" && row.variant != "reduce_then_scale"));
        CHECK(verify(row).passed == !row.expected_to_fail);
      }
  });
}

TEST_CASE("normalize sees in f32, too, that small elements were left out of the sum of squares") {
  test::for_each_instance("normalize", [](const Exercise& e, const Specialization& instance) {
    if (instance.precision != "f32") return;
    for (const Row& row : test::plan_of(e, instance, {{"n", "100003"}}).rows) {
      if (!row.unavailable.empty() || row.phase != "kernel") continue;
      if (row.variant == "kokkos_kernels") continue;  // its norm is f32
      INFO(row.variant);
      REQUIRE(verify(row).passed);
      const auto& sum = row.judge.outputs.back();
      auto found = sum.read();
      found[0] *= 1 - 0.25e-6;  // of its norm, where all elements below 0.008 are missing
      sum.write(found);
      CHECK_FALSE(row.judge.check().passed);
    }
  });
}

TEST_CASE("normalize refuses a zero vector before the work") {
  const auto& exercise = find_exercise("normalize");
  Parameters p(exercise.parameters, Size::tiny, true, 1);
  p.set("input", "zero");
  CHECK_THROWS_AS(exercise.validate(p), UsageError);
}

namespace {

constexpr const char* variants[] = {"sum_then_scale", "team_scratch", "reduce_then_scale",
                                    "team_scratch_wide"};

template <class Space, class T>
struct Normalized {
  std::vector<T> out;
  double norm = 0;
  Normalized(const std::vector<T>& v, const std::string& variant, int offset = 0) {
    using View = Kokkos::View<T*, typename Space::memory_space>;
    const View from("v", v.size() + 3), to("out", v.size() + 3);
    const std::pair<std::size_t, std::size_t> part(offset, offset + v.size());
    const auto in = Kokkos::subview(from, part), result = Kokkos::subview(to, part);
    const auto h = Kokkos::create_mirror_view(from);
    for (std::size_t i = 0; i < v.size(); ++i) h(i + part.first) = v[i];
    Kokkos::deep_copy(from, h);
    Kokkos::deep_copy(to, T(-1));
    using Memory = typename Space::memory_space;
    const Kokkos::View<T, Memory> length("norm");
    const Kokkos::View<double, Memory> of_lesson("norm");
    const Kokkos::View<kernels::normalize::Squares, Memory> squares("squares");
    const Kokkos::View<kernels::normalize::Factors, Memory> factors("factors");
    const Space space;
    const bool lesson = variant == "sum_then_scale" || variant == "team_scratch";
    if (variant == "sum_then_scale")
      kernels::normalize::sum(space, in, of_lesson);
    else if (variant == "team_scratch")
      kernels::normalize::team_sum(space, 1, in, of_lesson);
    else if (variant == "reduce_then_scale")
      kernels::normalize::reduce(space, in, squares);
    else
      kernels::normalize::team_sum_wide(space, in, squares);
    if (lesson)
      kernels::normalize::divide(space, in, result, of_lesson);
    else
      kernels::normalize::scale(space, in, result, squares, factors, length);
    norm = lesson ? data::on_host(of_lesson)() : static_cast<double>(data::on_host(length)());
    Kokkos::deep_copy(h, to);
    for (std::size_t i = 0; i < v.size(); ++i) out.push_back(h(i + part.first));
    // Nothing is written before or behind.
    if (offset > 0) CHECK(h(part.first - 1) == -1);
    CHECK(h(part.second) == -1);
  }
};

template <class Space, class T>
void outcomes() {
  INFO(space_name<Space>() << " " << sizeof(T));
  const T infinity = std::numeric_limits<T>::infinity(), largest = std::numeric_limits<T>::max();
  for (const char* variant : variants) {
    INFO(variant);
    const Normalized<Space, T> three_four({3, 4}, variant, 1);
    CHECK(three_four.norm == 5);
    CHECK(std::abs(three_four.out[0] - T(0.6)) <= std::numeric_limits<T>::epsilon());
    CHECK(std::abs(three_four.out[1] - T(0.8)) <= std::numeric_limits<T>::epsilon());

    const Normalized<Space, T> zero({0, 0, 0}, variant);
    CHECK(zero.norm == 0);
    CHECK(zero.out == std::vector<T>{0, 0, 0});

    const Normalized<Space, T> invalid({1, std::numeric_limits<T>::quiet_NaN()}, variant);
    CHECK(std::isnan(invalid.norm));
    CHECK(std::isnan(invalid.out[0]));

    const Normalized<Space, T> infinite({1, infinity}, variant);
    CHECK(infinite.norm == infinity);
    CHECK(infinite.out[0] == 0);
    CHECK(std::isnan(infinite.out[1]));
  }
  // The norm itself is beyond the largest number, the direction is not.
  const Normalized<Space, T> beyond({largest, largest, largest, largest}, "reduce_then_scale");
  CHECK(beyond.norm == infinity);
  for (const T x : beyond.out) CHECK(x == T(0.5));
  const T least = std::numeric_limits<T>::denorm_min();
  const Normalized<Space, T> smallest({least, least, least, least}, "reduce_then_scale");
  CHECK(smallest.norm == 2 * least);
  for (const T x : smallest.out) CHECK(x == T(0.5));
  // Squares that are subnormal have lost most of their digits, and are not 0.
  const Normalized<Space, double> faint({3e-160, 4e-160}, "reduce_then_scale");
  CHECK(std::abs(faint.norm - 5e-160) < 1e-174);
}

}  // namespace

TEST_CASE("normalize has the outcomes that it states for zeros, NaN, infinity and extremes") {
  for_each_built_in_space([]<class Space>() {
    outcomes<Space, float>();
    outcomes<Space, double>();
  });
}
