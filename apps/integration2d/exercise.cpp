// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "integration2d/tuned.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "exercise/api.hpp"

namespace parallax {
namespace {

/// sum_i sin((i + 1/2) h) and sum_i cos((i + 1/2) h), begin <= i < end, in closed form.
struct DiscreteSums {
  double sine, cosine;
  DiscreteSums(std::int64_t begin, std::int64_t end, double h) {
    const double middle = static_cast<double>(begin + end) * h / 2;
    const double length = std::sin(static_cast<double>(end - begin) * h / 2) / std::sin(h / 2);
    sine = std::sin(middle) * length;
    cosine = std::cos(middle) * length;
  }
};

/// What the midpoint rule itself gives for rows begin <= i < end, free of rounding:
/// sin(x + y) = sin x cos y + cos x sin y.
double exact_sum(std::int64_t n, double y_upper, std::int64_t begin, std::int64_t end) {
  const double h_x = std::numbers::pi / static_cast<double>(n);
  const double h_y = y_upper / static_cast<double>(n);
  const DiscreteSums x(begin, end, h_x), y(0, n, h_y);
  return h_x * h_y * (x.sine * y.cosine + x.cosine * y.sine);
}
double exact_sum(std::int64_t n, double y_upper) { return exact_sum(n, y_upper, 0, n); }

/// How far a sum of doubles may be off, over the sum of its terms' absolute values. A term that
/// goes through d additions is rounded d times, each time by at most u = eps/2 of the sum then; the
/// signs are as good as random, and the sum is then within lambda sqrt(d) u, but for one time in
/// exp(lambda^2/2) / 2d (Higham and Mary, A new approach to probabilistic rounding error analysis,
/// SIAM J. Sci. Comput. 41, 2019): with lambda = 8, d = 1e7, one in 4 million. The worst case, d u,
/// would no longer show a lost point at the course's size.
double summation(double additions) {
  constexpr double u = std::numeric_limits<double>::epsilon() / 2;
  return 8 * std::sqrt(additions) * u;
}

struct Integration2d {
  static constexpr double pi = std::numbers::pi;

  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const Share share = parameters.share("n");
    const auto n = share.total;
    const double rows = static_cast<double>(n), points = static_cast<double>(share.count) * rows;
    const auto grid = [=](double y) { return grid_of<double>(share, y); };
    const auto whole = data::allocate_scalar<double>(space, "integral"),
               half = data::allocate_scalar<double>(space, "integral over half");
    // The sine, the addition that makes its argument, and the one to the sum.
    const Work sines{.flops = 2 * (kernels::sine_operations<T> + 2) * points,
                     .items = points,
                     .messages = data::sum_of(whole)};
    Work turns = sines;
    turns.flops = 2 * kernels::rotation_operations * points;

    // How far one point may be off, in eps, at worst. Evaluated sines: steps and points of the axes
    // 5.1, their sum, the step and the lane's offset 2 each (half a unit in the last place of an
    // angle below 2 pi), the sine 0.9, its part of a sum of 16 terms 4.3. By angle addition: the
    // angle 7.1, 64 turns of half an eps each, half of them at a mean point and in two components
    // 23, its part of a sum of 64 terms 16. The area is pi^2.
    //
    // The shortest parts are runs of 64 points (recurrence, one lane), so that the additions in
    // double are at most the additions of a row's parts, one after the other, in one thread: n
    // (n/64 + 1), and the lanes' and threads' own sums, fewer than n. The integral of |sin(x + y)|
    // is 2 pi. In all, at n = 102 400, 7e-11; a point adds up to 9e-10.
    constexpr double unit = std::numeric_limits<T>::epsilon() * pi * pi;
    const double parts = summation(rows * (rows / 64 + 2)) * 2 * pi;
    const double evaluated = 16 * unit + parts, turned = 48 * unit + parts;

    const int team = team_size<Space>(parameters, 128);
    const double point = pi * pi / (rows * rows);
    Plan plan;
    add_lessons<T>(plan, space, parameters, sines);
    const auto run = [=](const auto& kernel, double y, const auto& to) {
      return data::then_sum(space, to, [=] { kernel(y, to); });
    };
    const auto add = [&](Row row, double tolerance, const auto& kernel) {
      row.judge = {{data::output(space, "integral", whole, point)},
                   [=, of_half = run(kernel, pi / 2, half)] {
                     return integrals(of_half, n, whole, half, tolerance);
                   }};
      row.run = run(kernel, pi, whole);
      plan.rows.push_back(row);
    };
    add({.variant = "row_per_thread_wide", .work = sines}, evaluated,
        [=](double y, const auto& to) {
          kernels::integration2d_row_per_thread_wide<T>(space, grid(y), to);
        });
    add(with_teams(team, {.variant = "team_scratch_wide", .work = sines}), evaluated,
        [=](double y, const auto& to) {
          kernels::integration2d_team_scratch_wide<T>(space, team, grid(y), to);
        });
    add({.variant = "flat", .work = sines}, evaluated,
        [=](double y, const auto& to) { kernels::integration2d_flat<T>(space, grid(y), to); });
    add({.variant = "recurrence", .work = turns}, turned, [=](double y, const auto& to) {
      kernels::integration2d_recurrence<T>(space, grid(y), to);
    });
    const data::RoundTrip<Space> trip(space);
    const auto result = trip.out(whole);
    const auto flat = [=](double y, const auto& to) {
      kernels::integration2d_flat<T>(space, grid(y), to);
    };
    add_end_to_end(plan, {0, sizeof(double)}, sines,
                   {{data::output(Kokkos::DefaultHostExecutionSpace(), "integral", result, point)},
                    [=, of_half = run(flat, pi / 2, half)] {
                      return integrals(of_half, n, result, half, evaluated);
                    }},
                   {{"flat", trip.plain(run(flat, pi, whole))}});
    return plan;
  }

  /// This rank's rows of the grid.
  template <class T>
  static kernels::IntegrationGrid<T> grid_of(const Share& share, double y_upper) {
    kernels::IntegrationGrid<T> grid(share.total, y_upper);
    grid.first_row += static_cast<T>(share.begin);
    grid.rows = share.count;
    return grid;
  }

  /// The kernels that leave partial sums: `kernel` ends there, `end_to_end` adds them up.
  template <class T, class Space>
  static void add_lessons(Plan& plan, const Space& space, const Parameters& parameters,
                          const Work& sines) {
    const Share share = parameters.share("n");
    const int n = static_cast<int>(share.total), own = static_cast<int>(share.count);
    const auto grid = grid_of<T>(share, pi);
    const int block = team_size<Space>(parameters, 16), team = team_size<Space>(parameters, 128);
    const auto rows = data::allocate<double>(space, "partial sums", own);
    const auto blocks = Kokkos::subview(rows, std::pair(0, (own + block - 1) / block));
    // How far one point may be off, in eps of T: steps and points of the axes pi each, their sum 2,
    // the area of a cell and the sine 1 each (two units in the last place; what CUDA promises). And
    // in eps of double the closed form: the point of the axis pi, sines and the quotient 2.
    constexpr double eps = std::numeric_limits<double>::epsilon();
    constexpr double point = 10.3 * std::numeric_limits<T>::epsilon() + 5.2 * eps;
    // A row's terms are added one after the other, and so are the rows or, in a tree, some of them.
    const double whole = point * pi * pi + summation(2.0 * n) * 2 * pi;
    const double cell = pi * pi / n / n;

    // Each partial sum is of `width` rows of the grid, the last of fewer.
    const auto add = [&](Row row, int width, const auto& c, const auto& kernel) {
      row.work = sines;
      row.work.messages.clear();
      const auto begin = [=](std::int64_t k) { return share.begin + k * width; };
      const auto end = [=](std::int64_t k) {
        return share.begin + std::min<std::int64_t>(own, (k + 1) * width);
      };
      const double tolerance = (point + summation(n + width)) * pi * pi / n;  // of one row
      row.judge = {
          {data::output(space, "partial sums", c, cell)}, [=] {
            const auto found = data::on_host(c);
            auto verdict = check::elements(
                "every partial sum with its closed form", static_cast<std::int64_t>(c.extent(0)),
                [&](std::int64_t k) { return found(k); },
                [&](std::int64_t k) { return exact_sum(n, pi, begin(k), end(k)); },
                [&](std::int64_t k) { return static_cast<double>(end(k) - begin(k)) * tolerance; });
            const double integral = ranks::total(kernels::integration2d_sum_on_host(c));
            verdict.result = {{"integral", integral}, {"error", std::abs(integral)}};
            return verdict;
          }};
      row.run = [=] { kernel(c); };
      plan.rows.push_back(row);
      if (row.variant != "row_per_thread") return;
      const Kokkos::DefaultHostExecutionSpace host;
      const auto to = data::allocate_scalar<double>(host, "integral");
      row.phase = "end_to_end";
      row.work.messages = sines.messages;
      for (auto& message : row.work.messages) message.from_host = true;
      row.judge.outputs.push_back(data::output(host, "integral", to, cell));
      row.judge.check = [=, of_parts = row.judge.check] {
        return check::both(of_parts(), check::number("the integral with the discrete sum's", to(),
                                                     exact_sum(n, pi), whole));
      };
      row.run = [=] {
        kernel(c);
        to() = kernels::integration2d_sum_on_host(c);
        ranks::sum(to.data(), 1);
      };
      plan.rows.push_back(row);
    };
    add({.variant = "row_per_thread"}, 1, rows,
        [=](const auto& c) { kernels::integration2d_row_per_thread(space, grid, c); });
    add(with_teams(block, {.variant = "block_scratch"}), block, blocks,
        [=](const auto& c) { kernels::integration2d_block_scratch(space, block, grid, c); });
    add(with_teams(team, {.variant = "team_scratch"}), 1, rows,
        [=](const auto& c) { kernels::integration2d_team_scratch(space, team, grid, c); });
  }

  /// The integral over [0, pi] x [0, pi] is 0, which is also what a kernel that adds nothing finds.
  /// So the same kernel must find the integral over half of it, 2, as well.
  template <class Whole, class Half>
  static Verdict integrals(const std::function<void()>& of_half, std::int64_t n, const Whole& whole,
                           const Half& half, double tolerance) {
    Kokkos::deep_copy(half, std::nan(""));
    of_half();
    const double integral = data::on_host(whole)();
    auto verdict =
        check::both(check::number("the integral with the closed form of the discrete sum", integral,
                                  exact_sum(n, pi), tolerance),
                    check::number("the integral over half the square likewise",
                                  data::on_host(half)(), exact_sum(n, pi / 2), tolerance));
    verdict.result = {{"integral", integral}, {"error", std::abs(integral)}};
    return verdict;
  }
};

const Registration<Integration2d, double, float> registration{
    {.name = "integration2d",
     .summary = "midpoint rule of sin(x+y) over [0,pi] x [0,pi]",
     .teaches = "arithmetic as the limit; how much work per thread; reductions in team scratch",
     .parameters = {count("n", "points per axis",
                          {.tiny = 203, .course = 102'400, .large = 204'800, .course_host = 10'000},
                          1, 1'000'000)},
     .variants = {{"row_per_thread", "one index per x, its sum into an array, added on the host"},
                  {"block_scratch", "the same in teams, one sum per team by a tree in scratch",
                   Tier::lesson, true},
                  {"team_scratch", "a team per x, partial sums tree-reduced in scratch",
                   Tier::lesson, true},
                  {"row_per_thread_wide", "one index per x, several sines in flight", Tier::tuned},
                  {"team_scratch_wide", "a team per x, several sines in flight a thread",
                   Tier::tuned, true},
                  {"flat", "one reduction over runs of points", Tier::tuned},
                  {"recurrence", "angle addition: far fewer sines, so not the same work",
                   Tier::tuned, false, true}},
     .memory =
         [](const Parameters& p, double) {
           const double partial_sums = 8 * static_cast<double>(p.integer("n"));
           return Memory{.space = 16e6 + partial_sums, .host = 1e6 + 2 * partial_sums};
         },
     .divide =
         [](Parameters& p) {
           // The points are shared by rows. In weak scaling each rank has n by n points.
           Division division = p.division();
           auto n = static_cast<double>(p.integer("n"));
           if (division.weak) n = std::round(n * std::sqrt(division.ranks));
           division.weak = false;
           p.take("n", division.of(static_cast<std::int64_t>(n)));
         }}};

}  // namespace
}  // namespace parallax
