// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "mandelbrot_area/tuned.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "exercise/api.hpp"
#include "mandelbrot_area/reference.hpp"

namespace parallax::mandelbrot_area {
namespace {

struct MandelbrotArea {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto trials = parameters.integer("trials"), all_trials = parameters.share("trials").total;
    const auto threads = parameters.integer("threads"),
               first_stream = parameters.share("threads").begin;
    const auto cap = parameters.integer("max_iterations");
    const auto seed = static_cast<std::uint64_t>(parameters.seed());
    using States = data::Array<Space, random::Xoroshiro>;
    using Number = data::Scalar<Space, std::int64_t>;
    const Number members = outputs::scalar<std::int64_t>(space, "members"),
                 undecided = outputs::scalar<std::int64_t>(space, "undecided");
    const auto first = data::allocate<random::Xoroshiro>(space, "first states", threads);
    const auto states = outputs::array<random::Xoroshiro>(space, "states", threads);
    random::seed_xoroshiro_states(space, seed, first, first_stream);
    data::input(first);

    const std::int64_t exact = std::min(trials, most_exact);
    const auto expected = std::make_shared<Known>();
    const auto start_again = [=] { Kokkos::deep_copy(space, states, first); };
    RowList rows({.items = static_cast<double>(trials)}, {});
    // Adds a row by the kernel that counts the streams' trials into `members` and `undecided`.
    using Kernel = std::function<void(const States&, std::int64_t, const Number&, const Number&)>;
    const auto add = [&](const std::string& variant, const Kernel& kernel) -> Row& {
      const auto judge = [=] {
        if (expected->states.empty())
          *expected = count_members<T>(reference::streams(seed, threads, first_stream), exact, cap);
        const Number fewer("members"), fewer_undecided("undecided");
        const std::int64_t m = data::on_host(members)(), u = data::on_host(undecided)();
        Verdict verdict;
        if (exact == trials) {
          verdict = both_counts(members, undecided, *expected);
        } else {  // by statistics, and by fewer trials of the same kernel
          start_again();
          kernel(states, exact, fewer, fewer_undecided);
          space.fence("parallax::mandelbrot_area: fewer trials");
          verdict = check::both(within_bounds(m, u, trials),
                                both_counts(fewer, fewer_undecided, *expected));
        }
        const auto differing = reference::differing(data::on_host(states), expected->states);
        verdict = check::both(verdict, check::number("states that a serial run does not have",
                                                     static_cast<double>(differing), 0, 0));
        const States by_hand("a stream of one dart", 1);
        Kokkos::deep_copy(by_hand, random::Xoroshiro{throws_minus_two.s0, throws_minus_two.s1});
        kernel(by_hand, 1, fewer, fewer_undecided);
        space.fence("parallax::mandelbrot_area: a dart at -2");
        verdict = check::both(verdict, both_counts(fewer, fewer_undecided,
                                                   count_members<T>({throws_minus_two}, 1, cap)));
        std::int64_t all[] = {m, u};
        ranks::sum(all, 2);
        return std::move(verdict).with(summary(all[0], all[1], all_trials));
      };
      rows.judge = {{data::output(space, "members", members, 1),
                     data::output(space, "undecided", undecided, 1)},
                    judge};
      auto& row = rows.add(variant, [=] { kernel(states, trials, members, undecided); });
      row.prepare = start_again;
      return row;
    };
    const int team = team_size<Space>(parameters);
    add("floyd", [=](const States& from, std::int64_t n, const auto&... counts) {
      kernels::mandelbrot_area::floyd<T>(space, from, n, cap, counts...);
    });
    add("team_scratch", [=](const States& from, std::int64_t n, const auto&... counts) {
      kernels::mandelbrot_area::team_scratch<T>(space, team, from, n, cap, counts...);
    }).team_size = team;
    const auto later = kernels::mandelbrot_area::make_later<T>(space, trials);
    add("floyd_refill", [=](const States& from, std::int64_t n, const auto&... counts) {
      kernels::mandelbrot_area::floyd_refill<T>(space, from, n, cap, later, counts...);
    });
    return rows;
  }
};

constexpr std::int64_t mebi = std::int64_t{1} << 20;

const Registration<MandelbrotArea, double, float> registration{
    {.name = "mandelbrot_area",
     .summary = "the area of the Mandelbrot set by throwing darts",
     .teaches = "divergence when work per thread differs a millionfold; caps and what they bias",
     .answer =
         "{members} of {trials} darts hit the set; the area is {area}, or {area_without_undecided} "
         "without {undecided} undecided darts; one standard error is {standard_error}",
     .parameters =
         {count("trials", "darts, all threads together",
                {.tiny = 4099, .course = 10 * mebi, .large = 100 * mebi, .course_host = mebi / 4},
                1, std::int64_t{1} << 53),
          count("threads", "random streams; the first trials % threads get one dart more",
                {.tiny = 512, .course = mebi, .large = mebi, .course_host = mebi / 64}, 1,
                (std::int64_t{1} << 31) - 1),
          integer("max_iterations", "steps of the tortoise after which a dart is a member", 10'000,
                  1, std::int64_t{1} << 40)},
     .variants = {lesson("floyd", "tortoise and hare; a thread per stream of darts"),
                  lesson_with_teams("team_scratch", "the same, with a tally per team in scratch"),
                  tuned("floyd_refill",
                        "a decided dart is replaced at once; slow ones follow later")},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           const double bytes = 16 * p.number("threads");
           const double all = 16 * static_cast<double>(p.share("threads").total);  // to be seeded
           const double later = 2 * scalar_bytes * std::min(p.number("trials") / 6, 0x1p24);
           return Memory{.space = 2 * bytes + all + later + 1e6, .host = 2 * bytes + 1e6};
         },
     .divide = streams_of("trials", "threads")}};

}  // namespace
}  // namespace parallax::mandelbrot_area
