// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "exercise/api.hpp"
#include "integer_power/lesson.hpp"
#include "integer_power/tuned.hpp"

namespace parallax {
namespace {

/// Uniform on [0.5, 1.5), whose powers up to the 64th neither overflow nor vanish; or the same with
/// every second one negative; or 1, 2, 3...
template <class T>
struct Base {
  std::int64_t seed;
  bool counting, with_signs;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const {
    if (counting) return static_cast<T>(i + 1);
    const T x = T(0.5) + data::uniform_at<T>(seed, i);
    return with_signs && i % 2 != 0 ? -x : x;
  }
};

/// One product after the other, in the widest type.
long double power(long double x, int n) {
  long double y = 1;
  for (int k = 0; k < (n < 0 ? -n : n); ++k) y *= x;
  return n < 0 ? 1 / y : y;
}

struct IntegerPower {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("n");
    const auto exponent = static_cast<int>(parameters.integer("exponent"));
    const auto& input = parameters.text("input");
    const Base<T> base{parameters.seed(), input == "arange", input == "signed"};
    const auto x = data::allocate<T>(space, "x", n);
    const auto y = data::allocate<T>(space, "y", n);
    data::fill(space, x, base);

    // A product rounds by half a unit, and what came before is raised with it; a reciprocal, for
    // negative exponents, likewise: n units in all. pow may be four units off (CUDA's powf). Below
    // the smallest normal number a unit is the smallest number there is: what a factor below 1/2
    // was off by then is at least halved by every later product, so that this adds one such unit
    // to a product, and four to pow.
    using Limits = std::numeric_limits<T>;
    const double units = std::abs(exponent) + 4;
    const double relative = units * static_cast<double>(Limits::epsilon());
    const double absolute = 4 * static_cast<double>(Limits::denorm_min());
    const auto right = [=](std::int64_t i) {
      return power(static_cast<long double>(base(i)), exponent);
    };
    const auto expected = [=](std::int64_t i) {
      return static_cast<double>(static_cast<T>(right(i)));
    };
    const auto tolerance = [=](std::int64_t i, double rounded) {
      if (std::abs(rounded) > static_cast<double>(Limits::max() / 2)) {
        const auto of_largest = static_cast<double>(std::abs(right(i)) / Limits::max());
        if (of_largest > 1 + relative) return 0.0;  // infinity, and nothing else
        if (of_largest > 1 - relative) return std::numeric_limits<double>::infinity();  // not yet
      }
      return relative * std::abs(rounded) + absolute;
    };
    const Judge judge{{data::output(space, "y", y)}, [=] {
                        const auto h = data::on_host(y);
                        auto verdict = check::elements(
                            "every element with products in a wider type", n,
                            [&](std::int64_t i) { return h(i); }, expected, tolerance);
                        verdict.result = data::sum_and_ends(h);
                        return verdict;
                      }};
    const double count = static_cast<double>(n);
    const Work work{.bytes = 2 * sizeof(T) * count, .items = count, .traffic = Traffic::copy};
    const int team = team_size<Space>(parameters);
    Plan plan;
    plan.rows = {
        {"pow", "kernel", work, judge, [=] { kernels::integer_power_pow(space, x, y, exponent); }},
        {"loop", "kernel", work, judge,
         [=] { kernels::integer_power_loop(space, x, y, exponent); }},
        with_teams(team,
                   {"team_scratch", "kernel", work, judge,
                    [=] { kernels::integer_power_team_scratch(space, team, x, y, exponent); }}),
        {"multiply", "kernel", work, judge,
         [=] { kernels::integer_power_multiply(space, x, y, exponent); }},
    };
    return plan;
  }
};

const Registration<IntegerPower, double, float> registration{
    {.name = "integer_power",
     .summary = "y[i] = x[i]^n, n a whole number",
     .teaches = "pow against multiply: when arithmetic decides and when memory does",
     .parameters = {count("n", "elements",
                          {.tiny = 10'007,
                           .course = 100'000'000,
                           .large = 100'000'000,
                           .course_host = 10'000'000}),
                    integer("exponent", "the power; negative ones give (1 / x)^-n", 2, -64, 64),
                    choice("input",
                           "uniform: 0.5 to 1.5; arange: 1, 2, 3...; signed: uniform, every second "
                           "one negative",
                           {"uniform", "arange", "signed"})},
     .variants = {{"pow", "the library's power function"},
                  {"loop", "a loop of multiplications"},
                  {"team_scratch", "the loop, from a block staged in scratch", Tier::lesson, true},
                  {"multiply", "products, by the exponent's bits, on packs", Tier::tuned}},
     .memory = [](const Parameters& p, double scalar_bytes) {
       const double array = scalar_bytes * static_cast<double>(p.integer("n"));
       return Memory{.space = 2 * array, .host = array};
     }}};

}  // namespace
}  // namespace parallax
