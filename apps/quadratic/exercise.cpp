// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// units: 2
#include <memory>

#include "exercise/api.hpp"
#include "quadratic/lesson.hpp"
#include "quadratic/reference.hpp"
#include "quadratic/tuned.hpp"

namespace parallax::quadratic {
namespace {

struct Quadratic {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("n"), seed = parameters.seed();
    const bool edges = parameters.text("input") == "edges";
    const Coefficients<T> from{{seed, T(5), T(5), 0, edges},
                               {data::next_seed(seed), T(10), T(10), 1, edges},
                               {data::next_seed(seed, 2), T(-0.1), T(0.2), 2, edges}};
    const auto a = inputs::array<T>(space, "a", n, from.a),
               b = inputs::array<T>(space, "b", n, from.b),
               c = inputs::array<T>(space, "c", n, from.c);
    const auto x = outputs::array<T>(space, "x", n);
    const double count = parameters.number("n");
    const auto passes = [=](int arrays) {
      return Work{.bytes = arrays * sizeof(T) * count, .flops = 8 * count, .items = count};
    };

    Rows rows(space, passes(22), x, [=](const auto& found) {
      return check::elements(
                 "every root with the formula that does not cancel, within 4 eps b/(2a)", n,
                 [&](std::int64_t i) { return counted(found(i)); },
                 [&](std::int64_t i) { return counted(from.root(i)); },
                 [&](std::int64_t i) { return from.tolerance(i); })
          .with(data::sum_and_ends(found));
    });
    const auto pool = std::make_shared<kernels::quadratic::Pool<Space, T>>();
    const int team = team_size<Space>(parameters);
    // Enough work to hide what a team costs a core, and teams enough for all of a GPU.
    const std::int64_t block = kernels::is_host_space<Space> ? 8192 : 512;
    T two = 2;  // not const: no compiler is to see pow(b, 2)
    rows.add("nine_pass", [=] { kernels::quadratic::nine_pass(space, a, b, c, x); });
    rows.add("nine_pass_pow", [=] { kernels::quadratic::nine_pass(space, a, b, c, x, two); });
    rows.work = passes(4);
    rows.add("fused", [=] { kernels::quadratic::fused(space, a, b, c, x); });
    rows.add("team", with_teams(team),
             [=] { kernels::quadratic::team(space, team, a, b, c, x, block); });
    rows.add("team_scratch", with_teams(team),
             [=] { kernels::quadratic::team_scratch(space, team, a, b, c, x); });
    rows.work = passes(22);
    rows.add("nine_pass_pool",
             [=] { kernels::quadratic::nine_pass_pool(space, *pool, a, b, c, x); });
    rows.work = passes(4);
    rows.add("fused_wide", [=] { kernels::quadratic::fused_wide(space, a, b, c, x); });
    rows.end_to_end(a, b, c).plain("fused").staged("fused_wide");
    return rows;
  }
};

const Registration<Quadratic, double, float> registration{
    {.name = "quadratic",
     .summary = "(-b + sqrt(b b - 4 a c)) / (2 a)",
     .teaches = "fusion; temporaries and array passes; what a memory pool is for; cancellation",
     .answer = "the roots add up to {sum}; the first is {first}, the last {last}",
     .parameters = {count("n", "equations",
                          {.tiny = 100'003, .course = 1'000'000, .large = 100'000'000}),
                    choice("input",
                           "uniform: a root near 0; edges: equations without a root, with a = 0...",
                           {"uniform", "edges"})},
     .variants = {lesson("nine_pass",
                         "nine kernels, 22 array passes; each temporary allocated and freed"),
                  lesson("nine_pass_pow", "the same nine kernels, but the square by general pow"),
                  lesson("fused", "one kernel, 4 array passes"),
                  lesson_with_teams("team", "one kernel, a league of teams"),
                  lesson_with_teams("team_scratch",
                                    "nine passes over a block in scratch, 4 array passes"),
                  tuned("nine_pass_pool", "nine kernels, temporaries from a memory pool"),
                  tuned("fused_wide", "one kernel, 4 array passes, on packs")},
     // In the space: 4 arrays, 4 of the pool, 4 of a nine_pass.
     .memory = arrays_of("n", {.space = 12, .host = 5, .staging = true})}};

}  // namespace
}  // namespace parallax::quadratic
