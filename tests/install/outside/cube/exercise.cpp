// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/api.hpp"

#include "cube/lesson.hpp"

namespace outside {
namespace {

using namespace parallax;

struct Cube {
  template <class T>
  struct Input {
    std::int64_t seed;
    KOKKOS_FUNCTION T operator()(std::int64_t i) const {
      return data::uniform_at<T>(seed, i) - T(0.5);
    }
  };

  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const Input<T> input{parameters.seed()};
    const auto n = parameters.integer("n");
    const double count = parameters.number("n");
    const auto x = inputs::array<T>(space, "x", n, input);
    const auto y = outputs::array<T>(space, "y", n);
    Rows rows(space, {.bytes = 2 * sizeof(T) * count, .items = count, .traffic = Traffic::copy}, y,
              [=](const auto& found) {
                return check::each("every element with x * x * x", found,
                                   [=](std::int64_t i) { return input(i) * input(i) * input(i); });
              });
    rows.add("range", [=] { cube_range(space, x, y); });
    return rows;
  }
};

const Registration<Cube, double> registration{
    {.name = "cube",
     .summary = "y[i] = x[i]^3",
     .teaches = "an exercise outside of the suite",
     .parameters = {count("n", "elements",
                          {.tiny = 1003, .course = 1'000'000, .large = 10'000'000})},
     .variants = {lesson("range", "one index per element")},
     .memory = arrays_of("n", {.space = 2, .host = 2})}};

}  // namespace
}  // namespace outside
