// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "exercise/api.hpp"
#include "integer_power/lesson.hpp"
#include "integer_power/reference.hpp"
#include "integer_power/tuned.hpp"

namespace parallax::integer_power {
namespace {

struct IntegerPower {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("n");
    const auto exponent = static_cast<int>(parameters.integer("exponent"));
    const auto& input = parameters.text("input");
    const Base<T> base{parameters.seed(), input == "arange", input == "signed"};
    const auto x = inputs::array<T>(space, "x", n, base);
    const auto y = outputs::array<T>(space, "y", n);

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
    const double count = parameters.number("n");
    Rows rows(space, {.bytes = 2 * sizeof(T) * count, .items = count, .traffic = Traffic::copy}, y,
              [=](const auto& found) {
                return check::each("every element with products in a wider type", found, expected,
                                   tolerance)
                    .with(data::sum_and_ends(found));
              });
    const int team = team_size<Space>(parameters);
    rows.add("pow", [=] { kernels::integer_power::pow(space, x, y, exponent); });
    rows.add("loop", [=] { kernels::integer_power::loop(space, x, y, exponent); });
    rows.add("team_scratch", with_teams(team),
             [=] { kernels::integer_power::team_scratch(space, team, x, y, exponent); });
    rows.add("multiply", [=] { kernels::integer_power::multiply(space, x, y, exponent); });
    return rows;
  }
};

const Registration<IntegerPower, double, float> registration{
    {.name = "integer_power",
     .summary = "y[i] = x[i]^n, n a whole number",
     .teaches = "pow against multiply: when arithmetic decides and when memory does",
     .answer = "the powers add up to {sum}; the first is {first}, the last {last}",
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
     .variants = {lesson("pow", "the library's power function"),
                  lesson("loop", "a loop of multiplications"),
                  lesson_with_teams("team_scratch", "the loop, from a block staged in scratch"),
                  tuned("multiply", "products, by the exponent's bits, on packs")},
     .memory = arrays_of("n", {.space = 2, .host = 1})}};

}  // namespace
}  // namespace parallax::integer_power
