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
    const auto n = parameters.integer("n");
    const auto x = data::allocate<T>(space, "x", n);
    const auto y = data::allocate<T>(space, "y", n);
    const Input<T> input{parameters.seed()};
    data::fill(space, x, input);
    const Judge judge{{data::output(space, "y", y)}, [=] {
                        const auto h = data::on_host(y);
                        return check::elements(
                            "every element with x * x * x", n, [&](std::int64_t i) { return h(i); },
                            [&](std::int64_t i) { return input(i) * input(i) * input(i); }, 0.0);
                      }};
    const double count = static_cast<double>(n);
    const Work work{.bytes = 2 * sizeof(T) * count, .items = count, .traffic = Traffic::copy};
    Plan plan;
    plan.rows = {{"range", "kernel", work, judge, [=] { cube_range(space, x, y); }}};
    return plan;
  }
};

const Registration<Cube, double> registration{
    {.name = "cube",
     .summary = "y[i] = x[i]^3",
     .teaches = "an exercise outside of the suite",
     .parameters = {count("n", "elements",
                          {.tiny = 1003, .course = 1'000'000, .large = 10'000'000})},
     .variants = {{"range", "one index per element"}},
     .memory = [](const Parameters& p, double scalar_bytes) {
       const double bytes = 2 * scalar_bytes * static_cast<double>(p.integer("n"));
       return Memory{.space = bytes, .host = bytes};
     }}};

}  // namespace
}  // namespace outside
