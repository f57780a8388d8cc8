// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "integer_power/lesson.hpp"

#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "integer_power/tuned.hpp"
#include "measure/verify/trial.hpp"
#include "platform/base/error.hpp"
#include "platform/device/spaces.hpp"
#include "support/rows.hpp"

using namespace parallax;

TEST_CASE("integer_power is right for odd sizes and exponents in every space") {
  test::verify_everywhere("integer_power",
                          {{{"n", "0"}},
                           {{"n", "1"}},
                           {{"n", "13"}, {"exponent", "0"}},
                           {{"n", "257"}, {"exponent", "1"}},
                           {{"n", "1009"}, {"exponent", "3"}},
                           {{"n", "1009"}, {"exponent", "-1"}},
                           {{"n", "1009"}, {"exponent", "13"}},
                           {{"n", "1009"}, {"exponent", "64"}},
                           {{"n", "1009"}, {"exponent", "-64"}},
                           {{"n", "1009"}, {"exponent", "-7"}, {"input", "signed"}},
                           {{"n", "65537"}}});
}

TEST_CASE("integer_power is right where powers overflow and where results are subnormal") {
  // 100^-20 is 1e-40: subnormal in float, while 100^20 is infinite.
  test::verify_everywhere("integer_power",
                          {{{"n", "300"}, {"exponent", "-20"}, {"input", "arange"}},
                           {{"n", "300"}, {"exponent", "20"}, {"input", "arange"}},
                           {{"n", "70000"}, {"exponent", "-64"}, {"input", "arange"}},
                           {{"n", "70000"}, {"exponent", "64"}, {"input", "arange"}}});
}

TEST_CASE("integer_power's check refuses 0 for a subnormal result, and a number for infinity") {
  test::for_each_instance("integer_power", [](const Exercise& e, const Specialization& instance) {
    if (instance.precision != "f32") return;
    for (const char* exponent : {"-20", "20"}) {
      const auto plan =
          test::plan_of(e, instance, {{"n", "100"}, {"exponent", exponent}, {"input", "arange"}});
      for (const auto& row : plan.rows) {
        INFO(row.variant << " with exponent " << exponent);
        REQUIRE(verify(row).passed);
        const auto& output = row.judge.outputs.front();
        const auto right = output.read();
        auto wrong = right;
        wrong[99] = exponent[0] == '-' ? 0 : std::numeric_limits<float>::max();
        output.write(wrong);
        CHECK_FALSE(row.judge.check().passed);
      }
    }
  });
}

TEST_CASE("the squares of 1..12 are exact") {
  for_each_built_in_space([]<class Space>() {
    Kokkos::View<double*, typename Space::memory_space> x("x", 12), by_pow("y", 12),
        by_loop("y", 12), by_products("y", 12);
    const auto h = Kokkos::create_mirror_view(Kokkos::HostSpace{}, x);
    for (int i = 0; i < 12; ++i) h(i) = i + 1;
    Kokkos::deep_copy(x, h);
    kernels::integer_power::pow(Space{}, x, by_pow, 2);
    kernels::integer_power::loop(Space{}, x, by_loop, 2);
    kernels::integer_power::multiply(Space{}, x, by_products, 2);
    const auto p = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, by_pow);
    const auto l = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, by_loop);
    const auto m = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, by_products);
    for (int i = 0; i < 12; ++i) {
      INFO(space_name<Space>() << " " << i);
      CHECK(p(i) == (i + 1) * (i + 1));
      CHECK(l(i) == (i + 1) * (i + 1));
      CHECK(m(i) == (i + 1) * (i + 1));
    }
  });
  const auto result =
      test::result_of("integer_power", "multiply", {{"n", "12"}, {"input", "arange"}});
  CHECK(test::number(result, "sum") == 650);
  CHECK(test::number(result, "last") == 144);
}

TEST_CASE("powers of 0, of infinity and of negative numbers are IEEE's in every variant") {
  for_each_built_in_space([]<class Space>() {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    Kokkos::View<double*, typename Space::memory_space> x("x", 3), y("y", 3);
    const auto h = Kokkos::create_mirror_view(Kokkos::HostSpace{}, x);
    h(0) = 0;
    h(1) = -2;
    h(2) = infinite;
    Kokkos::deep_copy(x, h);
    const auto require = [&](double a, double b, double c) {
      const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, y);
      CHECK(result(0) == a);
      CHECK(result(1) == b);
      CHECK(result(2) == c);
      Kokkos::deep_copy(y, -1.0);
    };
    const auto require_of_all = [&](int n, double a, double b, double c) {
      kernels::integer_power::pow(Space{}, x, y, n);
      require(a, b, c);
      kernels::integer_power::loop(Space{}, x, y, n);
      require(a, b, c);
      kernels::integer_power::team_scratch(Space{}, 1, x, y, n);
      require(a, b, c);
      kernels::integer_power::multiply(Space{}, x, y, n);
      require(a, b, c);
    };
    require_of_all(0, 1, 1, 1);
    require_of_all(-3, infinite, -0.125, 0);
  });
}

TEST_CASE("huge exponents are refused by name") {
  const auto& e = find_exercise("integer_power");
  Parameters parameters(e.parameters, Size::tiny, true, 1);
  CHECK_THROWS_AS(parameters.set("exponent", "65"), UsageError);
  CHECK_THROWS_AS(parameters.set("exponent", "-65"), UsageError);
  CHECK_THROWS_AS(parameters.set("exponent", "99999999999999999999"), UsageError);
  CHECK_THROWS_AS(parameters.set("exponent", "0.5"), UsageError);
}
