// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "integration2d/tuned.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "exercise/api.hpp"
#include "integration2d/reference.hpp"

namespace parallax::integration2d {
namespace {

struct Integration2d {
  static constexpr double pi = std::numbers::pi;

  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const Share share = parameters.share("n");
    const auto n = share.total;
    const double axis = static_cast<double>(n), points = static_cast<double>(share.count) * axis;
    // The sine, the addition that makes its argument, and the one to the sum.
    RowList rows({.flops = 2 * (kernels::sine_operations<T> + 2) * points, .items = points}, {});
    add_lessons<T>(rows, space, parameters);

    const auto whole = outputs::scalar<double>(space, "integral"),
               half = outputs::scalar<double>(space, "integral over half");
    rows.sum_over_ranks(space, whole);
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
    const double parts = summation(axis * (axis / 64 + 2)) * 2 * pi;
    const double evaluated = 16 * unit + parts, turned = 48 * unit + parts;

    // The integral over [0, pi] x [0, pi] is 0, which is also what a kernel that adds nothing
    // finds. So the same kernel must find the integral over half of it, 2, as well.
    const auto judge_of = [=](const auto& where, const auto& to, const auto& kernel,
                              double tolerance) -> Judge {
      const auto of_half = data::then_sum(space, half, [=] { kernel(pi / 2, half); });
      const auto check = [=] {
        Kokkos::deep_copy(half, std::nan(""));
        of_half();
        const double integral = data::on_host(to)();
        return check::both(check::number("the integral with the closed form of the discrete sum",
                                         integral, exact_sum(n, pi), tolerance),
                           check::number("the integral over half the square likewise",
                                         data::on_host(half)(), exact_sum(n, pi / 2), tolerance))
            .with({{"integral", integral}, {"error", std::abs(integral)}});
      };
      return {{data::output(where, "integral", to, pi * pi / (axis * axis))}, check};
    };
    const auto add = [&](const std::string& variant, double tolerance, const auto& kernel) -> Row& {
      rows.judge = judge_of(space, whole, kernel, tolerance);
      return rows.add(variant, [=] { kernel(pi, whole); });
    };
    const auto grid = [=](double y) { return grid_of<double>(share, y); };
    add("row_per_thread_wide", evaluated, [=](double y, const auto& to) {
      kernels::integration2d::row_per_thread_wide<T>(space, grid(y), to);
    });
    const int team = team_size<Space>(parameters, 128);
    add("team_scratch_wide", evaluated, [=](double y, const auto& to) {
      kernels::integration2d::team_scratch_wide<T>(space, team, grid(y), to);
    }).team_size = team;
    const auto flat = [=](double y, const auto& to) {
      kernels::integration2d::flat<T>(space, grid(y), to);
    };
    add("flat", evaluated, flat);
    rows.work.flops = 2 * kernels::integration2d::rotation_operations * points;
    add("recurrence", turned, [=](double y, const auto& to) {
      kernels::integration2d::recurrence<T>(space, grid(y), to);
    });

    const data::RoundTrip<Space> trip(space);
    const auto result = trip.out(whole);
    const auto judge = judge_of(Kokkos::DefaultHostExecutionSpace(), result, flat, evaluated);
    const Row& kernel = rows.of("flat");
    rows.all().push_back(
        end_to_end_row(kernel, {0, sizeof(double)}, judge, trip.plain(kernel.run)));
    return rows;
  }

  /// This rank's rows of the grid.
  template <class T>
  static kernels::integration2d::Grid<T> grid_of(const Share& share, double y_upper) {
    kernels::integration2d::Grid<T> grid(share.total, y_upper);
    grid.first_row += static_cast<T>(share.begin);
    grid.rows = share.count;
    return grid;
  }

  /// The kernels that leave partial sums: `kernel` ends there, `end_to_end` adds them up.
  template <class T, class Space>
  static void add_lessons(RowList& rows, const Space& space, const Parameters& parameters) {
    const Share share = parameters.share("n");
    const int n = static_cast<int>(share.total), own = static_cast<int>(share.count);
    const auto grid = grid_of<T>(share, pi);
    const int block = team_size<Space>(parameters, 16), team = team_size<Space>(parameters, 128);
    const auto c = outputs::array<double>(space, "partial sums", own);
    const auto of_blocks = Kokkos::subview(c, std::pair(0, (own + block - 1) / block));
    // How far one point may be off, in eps of T: steps and points of the axes pi each, their sum 2,
    // the area of a cell and the sine 1 each (two units in the last place; what CUDA promises). And
    // in eps of double the closed form: the point of the axis pi, sines and the quotient 2.
    constexpr double eps = std::numeric_limits<double>::epsilon();
    constexpr double point = 10.3 * std::numeric_limits<T>::epsilon() + 5.2 * eps;
    const double cell = pi * pi / n / n;

    // Each partial sum is of `width` rows of the grid, the last of fewer.
    const auto judge_of = [=](const auto& sums, int width) -> Judge {
      const auto check = [=] {
        const auto found = data::on_host(sums);
        const auto begin = [=](std::int64_t k) { return share.begin + k * width; };
        const auto end = [=](std::int64_t k) {
          return share.begin + std::min<std::int64_t>(own, (k + 1) * width);
        };
        const double tolerance = (point + summation(n + width)) * pi * pi / n;  // of one row
        const double integral = ranks::total(kernels::integration2d::sum_on_host(found));
        return check::each(
                   "every partial sum with its closed form", found,
                   [=](std::int64_t k) { return exact_sum(n, pi, begin(k), end(k)); },
                   [=](std::int64_t k) {
                     return static_cast<double>(end(k) - begin(k)) * tolerance;
                   })
            .with({{"integral", integral}, {"error", std::abs(integral)}});
      };
      return {{data::output(space, "partial sums", sums, cell)}, check};
    };
    const Kokkos::DefaultHostExecutionSpace host;
    const auto to = outputs::scalar<double>(host, "integral");
    // A row's terms are added one after the other, and so are the rows or, in a tree, some of them.
    const double whole = point * pi * pi + summation(2.0 * n) * 2 * pi;
    // Two rows: of the kernel, and with the sums copied back and added up on the host.
    const auto add = [&](const std::string& variant, Teams teams, const auto& sums,
                         const Judge& of_sums, const std::function<void()>& kernel) {
      rows.judge = of_sums;
      rows.add(variant, teams, kernel);
      // A host's teams are of one thread: its only row of this phase is row_per_thread's.
      if (kernels::is_host_space<Space> && teams.size > 0) return;
      rows.phase = "end_to_end";
      rows.judge.outputs.push_back(data::output(host, "integral", to, cell));
      rows.judge.check = [=] {
        return check::both(of_sums.check(), check::number("the integral with the discrete sum's",
                                                          to(), exact_sum(n, pi), whole));
      };
      auto& messages = rows.add(variant, teams,
                                [=] {
                                  kernel();
                                  to() = kernels::integration2d::sum_on_host(sums);
                                  ranks::sum(to.data(), 1);
                                })
                           .work.messages;
      messages = data::sum_of(to);
      for (auto& message : messages) message.from_host = true;
      rows.phase = "kernel";
    };
    const Judge of_rows = judge_of(c, 1);
    add("row_per_thread", Teams{0}, c, of_rows,
        [=] { kernels::integration2d::row_per_thread(space, grid, c); });
    add("block", with_teams(block), c, of_rows,
        [=] { kernels::integration2d::block(space, block, grid, c); });
    add("block_scratch", with_teams(block), of_blocks, judge_of(of_blocks, block),
        [=] { kernels::integration2d::block_scratch(space, block, grid, of_blocks); });
    rows.judge = of_rows;
    rows.add("team_scratch", with_teams(team),
             [=] { kernels::integration2d::team_scratch(space, team, grid, c); });
  }
};

const Registration<Integration2d, double, float> registration{
    {.name = "integration2d",
     .summary = "midpoint rule of sin(x+y) over [0,pi] x [0,pi]",
     .teaches = "arithmetic as the limit; how much work per thread; reductions in team scratch",
     .answer = "the integral is {integral}, and should be 0",
     .parameters = {count("n", "points per axis",
                          {.tiny = 203, .course = 102'400, .large = 204'800, .course_host = 10'000},
                          1, 1'000'000)},
     .variants =
         {lesson("row_per_thread", "one index per x, its sum into an array, added on the host"),
          lesson_with_teams("block", "the same in teams: --team-size is the course's block"),
          lesson_with_teams("block_scratch",
                            "the same in teams, one sum per team by a tree in scratch"),
          lesson_with_teams("team_scratch", "a team per x, partial sums tree-reduced in scratch"),
          tuned("row_per_thread_wide", "one index per x, several sines in flight"),
          tuned_with_teams("team_scratch_wide", "a team per x, several sines in flight a thread"),
          tuned("flat", "one reduction over runs of points"),
          {"recurrence", "angle addition: far fewer sines, so not the same work", Tier::tuned,
           false, true}},
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
}  // namespace parallax::integration2d
