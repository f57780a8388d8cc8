// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <memory>

#include "exercise/api.hpp"
#include "quadratic/lesson.hpp"
#include "quadratic/tuned.hpp"

namespace parallax {
namespace {

/// Uniform on [low, low + width), by a fused multiply-add, which makes the same bits on every
/// processor; or a, b or c (column 0, 1 or 2) of a few equations over and over: with a double root,
/// without one, with a = 0, with either sign, with b = 0, with cancellation, with c = 0.
template <class T>
struct Coefficient {
  std::int64_t seed;
  T low, width;
  int column;
  bool edges;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const {
    constexpr T equations[9][3] = {{1, 2, 1},  {1, 2, 2}, {0, -3, 1}, {2, -3, 1}, {-1, 3, -2},
                                   {1, 0, -4}, {1, 0, 4}, {1, 64, 1}, {3, 5, 0}};
    return edges ? equations[i % 9][column] : Kokkos::fma(data::uniform_at<T>(seed, i), width, low);
  }
};

template <class T>
struct Coefficients {
  Coefficient<T> a, b, c;

  /// The same root by the formula that does not cancel, in the widest type.
  [[nodiscard]] double root(std::int64_t i) const {
    const long double u = a(i), v = b(i), w = c(i), root = std::sqrt(v * v - 4 * u * w);
    return static_cast<double>(v < 0 ? (root - v) / (2 * u) : -2 * w / (v + root));
  }
  /// b b, the difference and the square root round by eps b in all, where pow is four units off
  /// (CUDA's powf) by 2.75 eps b; and 2 a divides it.
  [[nodiscard]] double tolerance(std::int64_t i) const {
    constexpr double eps = std::numeric_limits<T>::epsilon();
    const double u = std::abs(a(i)), v = std::abs(b(i));
    return u == 0 ? 0 : 4 * eps * v / (2 * u);  // a = 0: infinity, and nothing else
  }
};

struct Quadratic {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("n");
    const auto seed = parameters.seed();
    const bool edges = parameters.text("input") == "edges";
    const Coefficients<T> from{{seed, T(5), T(5), 0, edges},
                               {data::next_seed(seed), T(10), T(10), 1, edges},
                               {data::next_seed(seed, 2), T(-0.1), T(0.2), 2, edges}};
    const auto a = data::allocate<T>(space, "a", n);
    const auto b = data::allocate<T>(space, "b", n);
    const auto c = data::allocate<T>(space, "c", n);
    const auto x = data::allocate<T>(space, "x", n);
    data::fill(space, a, from.a);
    data::fill(space, b, from.b);
    data::fill(space, c, from.c);

    const auto judge_of = [&](const auto& where, const auto& found) -> Judge {
      return {{data::output(where, "x", found)}, [=] { return check_roots<T>(found, from); }};
    };
    const Judge judge = judge_of(space, x);
    const double count = static_cast<double>(n);
    const auto passes = [=](int arrays) {
      return Work{.bytes = arrays * sizeof(T) * count, .flops = 8 * count, .items = count};
    };
    const auto pool = std::make_shared<kernels::Pool<Space, T>>();
    const int team = team_size<Space>(parameters);
    // Enough work to hide what a team costs a core, and teams enough for all of a GPU.
    const std::int64_t block = kernels::is_host_space<Space> ? 8192 : 512;
    T two = 2;  // not const: no compiler is to see pow(b, 2)
    Plan plan;
    plan.rows = {
        {"nine_pass", "kernel", passes(22), judge,
         [=] { kernels::quadratic_nine_pass(space, a, b, c, x); }},
        {"nine_pass_pow", "kernel", passes(22), judge,
         [=] { kernels::quadratic_nine_pass(space, a, b, c, x, two); }},
        {"fused", "kernel", passes(4), judge, [=] { kernels::quadratic_fused(space, a, b, c, x); }},
        with_teams(team, {"team", "kernel", passes(4), judge,
                          [=] { kernels::quadratic_team(space, team, a, b, c, x, block); }}),
        with_teams(team, {"team_scratch", "kernel", passes(4), judge,
                          [=] { kernels::quadratic_team_scratch(space, team, a, b, c, x); }}),
        {"nine_pass_pool", "kernel", passes(22), judge,
         [=] { kernels::quadratic_nine_pass_pool(space, *pool, a, b, c, x); }},
        {"fused_wide", "kernel", passes(4), judge,
         [=] { kernels::quadratic_fused_wide(space, a, b, c, x); }},
    };
    const data::RoundTrip<Space> trip(space);
    for (const auto& coefficient : {a, b, c}) trip.in(coefficient);
    const auto host_x = trip.out(x);
    add_end_to_end(
        plan, {3 * sizeof(T) * count, sizeof(T) * count}, passes(4),
        alike(judge, judge_of(Kokkos::DefaultHostExecutionSpace(), host_x)),
        {{"fused", trip.plain([=] { kernels::quadratic_fused(space, a, b, c, x); })},
         {"fused_wide", trip.staged([=] { kernels::quadratic_fused_wide(space, a, b, c, x); })}});
    return plan;
  }

  /// NaN, where it is expected, as a number that is no root.
  static double counted(double root) { return std::isnan(root) ? -1e30 : root; }

  template <class T, class X>
  static Verdict check_roots(const X& x, const Coefficients<T>& from) {
    const auto h = data::on_host(x);
    const auto n = static_cast<std::int64_t>(h.extent(0));
    auto verdict = check::elements(
        "every root with the formula that does not cancel, within 4 eps b/(2a)", n,
        [&](std::int64_t i) { return counted(h(i)); },
        [&](std::int64_t i) { return counted(from.root(i)); },
        [&](std::int64_t i) { return from.tolerance(i); });
    verdict.result = data::sum_and_ends(h);
    return verdict;
  }
};

const Registration<Quadratic, double, float> registration{
    {.name = "quadratic",
     .summary = "(-b + sqrt(b b - 4 a c)) / (2 a)",
     .teaches = "fusion; temporaries and array passes; what a memory pool is for; cancellation",
     .parameters = {count("n", "equations",
                          {.tiny = 100'003, .course = 1'000'000, .large = 100'000'000}),
                    choice("input",
                           "uniform: a root near 0; edges: equations without a root, with a = 0...",
                           {"uniform", "edges"})},
     .variants = {{"nine_pass",
                   "nine kernels, 22 array passes; each temporary allocated and freed"},
                  {"nine_pass_pow", "the same nine kernels, but the square by general pow"},
                  {"fused", "one kernel, 4 array passes"},
                  {"team", "one kernel, a league of teams", Tier::lesson, true},
                  {"team_scratch", "nine passes over a block in scratch, 4 array passes",
                   Tier::lesson, true},
                  {"nine_pass_pool", "nine kernels, temporaries from a memory pool", Tier::tuned},
                  {"fused_wide", "one kernel, 4 array passes, on packs", Tier::tuned}},
     .memory = [](const Parameters& p, double scalar_bytes) {
       const double array = scalar_bytes * static_cast<double>(p.integer("n"));
       return Memory{.space = 12 * array,  // 4 arrays, 4 of the pool, 4 of a nine_pass
                     .host = 5 * array,
                     .staging = kernels::staging_bytes};
     }}};

}  // namespace
}  // namespace parallax
