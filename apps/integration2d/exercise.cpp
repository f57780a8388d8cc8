// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "integration2d/tuned.hpp"

#include <numbers>

#include "harness/check.hpp"
#include "harness/data.hpp"
#include "harness/registration.hpp"

namespace parallax {
namespace {

/// sum_i sin((i + 1/2) h) and sum_i cos((i + 1/2) h), 0 <= i < n, in closed form.
struct DiscreteSums {
  double sine, cosine;
  DiscreteSums(std::int64_t n, double h) {
    const double half = static_cast<double>(n) * h / 2;
    sine = std::sin(half) * std::sin(half) / std::sin(h / 2);
    cosine = std::sin(half) * std::cos(half) / std::sin(h / 2);
  }
};

/// What the midpoint rule itself gives, free of rounding: sin(x + y) = sin x cos y + cos x sin y.
double exact_sum(std::int64_t n, double y_upper) {
  const double h_x = std::numbers::pi / static_cast<double>(n);
  const double h_y = y_upper / static_cast<double>(n);
  const DiscreteSums x(n, h_x), y(n, h_y);
  return h_x * h_y * (x.sine * y.cosine + x.cosine * y.sine);
}

/// How far the doubles that parts of a row are added up in may be off. A term that goes through d
/// additions is rounded d times, each time by at most u = eps/2 of the sum then; the signs are as
/// good as random, and the sum is then within lambda sqrt(d) u of the integral of |sin(x + y)|,
/// but for one time in exp(lambda^2/2) / 2d (Higham and Mary, A new approach to probabilistic
/// rounding error analysis, SIAM J. Sci. Comput. 41, 2019): with lambda = 8, d = 1e7, one in
/// 4 million. The worst case, d u, would no longer show a lost point at the course's size.
///
/// The shortest parts are runs of 64 points (recurrence, one lane), so that d is at most that of a
/// row's parts, one after the other, in one thread: n (n/64 + 1), and the lanes' and threads' own
/// sums, fewer than n. The integral of |sin(x + y)| is 2 pi. In all, at n = 102 400, 7e-11; a point
/// adds up to 9e-10.
double summation(std::int64_t n) {
  const double points = static_cast<double>(n);
  const double additions = points * (points / 64 + 2);
  constexpr double u = std::numeric_limits<double>::epsilon() / 2;
  return 8 * std::sqrt(additions) * u * 2 * std::numbers::pi;
}

struct Integration2d {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("n");
    const data::Scalar<Space, double> whole("integral");
    const data::Scalar<Space, double> half("integral over half");
    constexpr double pi = std::numbers::pi;
    // How far one point may be off, in eps, at worst. Evaluated sines: steps and points of the axes
    // 5.1, their sum, the step and the lane's offset 2 each (half a unit in the last place of an
    // angle below 2 pi), the sine 0.9, its part of a sum of 16 terms 4.3. By angle addition: the
    // angle 7.1, 64 turns of half an eps each, half of them at a mean point and in two components
    // 23, its part of a sum of 64 terms 16. The area is pi^2.
    constexpr double unit = std::numeric_limits<T>::epsilon() * pi * pi;
    const double evaluated = 16 * unit + summation(n), turned = 48 * unit + summation(n);

    // The integral over [0, pi] x [0, pi] is 0, which is also what a kernel that adds nothing
    // finds. So the same kernel must find the integral over half of it, 2, as well.
    const auto check = [=](const auto& kernel, double tolerance) {
      Kokkos::deep_copy(half, std::nan(""));
      kernel(pi / 2, half);
      const double integral = data::on_host(whole)();
      auto verdict =
          check::both(check::number("the integral with the closed form of the discrete sum",
                                    integral, exact_sum(n, pi), tolerance),
                      check::number("the integral over half the square likewise",
                                    data::on_host(half)(), exact_sum(n, pi / 2), tolerance));
      verdict.result = {{"integral", integral}, {"error", std::abs(integral)}};
      return verdict;
    };
    const double points = static_cast<double>(n) * static_cast<double>(n);
    const double cell = pi * pi / points;
    const auto row = [&](const char* variant, double operations, double tolerance,
                         const auto& kernel) {
      Row r{.variant = variant, .work = {}, .judge = {}, .run = {}};
      r.work = {.flops = 2 * operations * points, .items = points};
      r.judge = {{data::output(space, "integral", whole, cell)},
                 [=] { return check(kernel, tolerance); }};
      r.run = [=] { kernel(pi, whole); };
      return r;
    };
    // The sine, the addition that makes its argument, and the one to the sum.
    constexpr double sine = kernels::sine_operations<T> + 2;
    Plan plan;
    plan.rows = {
        row("row_per_thread_wide", sine, evaluated,
            [=](double y, const auto& to) {
              kernels::integration2d_row_per_thread_wide<T>(space, n, y, to);
            }),
        row("team_scratch_wide", sine, evaluated,
            [=](double y, const auto& to) {
              kernels::integration2d_team_scratch_wide<T>(space, n, y, to);
            }),
        row("flat", sine, evaluated,
            [=](double y, const auto& to) { kernels::integration2d_flat<T>(space, n, y, to); }),
        row("recurrence", kernels::rotation_operations, turned, [=](double y, const auto& to) {
          kernels::integration2d_recurrence<T>(space, n, y, to);
        })};
    return plan;
  }
};

const Registration<Integration2d, double, float> registration{
    {.name = "integration2d",
     .summary = "midpoint rule of sin(x+y) over [0,pi] x [0,pi]",
     .teaches = "arithmetic as the limit; how much work per thread; reductions in team scratch",
     .parameters = {count("n", "points per axis",
                          {.tiny = 203, .course = 102'400, .large = 204'800, .course_host = 10'000},
                          1, 1'000'000)},
     .variants = {{"row_per_thread_wide", "one index per x, several sines in flight", Tier::tuned},
                  {"team_scratch_wide", "a team per x, several sines in flight a thread",
                   Tier::tuned},
                  {"flat", "one reduction over runs of points", Tier::tuned},
                  {"recurrence", "angle addition: far fewer sines, so not the same work",
                   Tier::tuned, false, true}},
     .memory = [](const Parameters&, double) { return Memory{.space = 16e6, .host = 1e6}; }}};

}  // namespace
}  // namespace parallax
