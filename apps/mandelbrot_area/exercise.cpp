// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "mandelbrot_area/tuned.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exercise/api.hpp"

namespace parallax {
namespace {

/// The number of trials that a serial reference does in about a second.
constexpr std::int64_t most_exact = std::int64_t{1} << 16;

/// Proven bounds of the area: T. Förstemann's pixel count, and Y. Fisher and J. Hill.
constexpr double least_area = 1.50640, largest_area = 1.53121;

/// What a serial run finds, and the states that it leaves.
struct Known {
  std::int64_t members = 0, undecided = 0;
  std::vector<reference::Xoroshiro> states{};
};

/// The serial reference: dart after dart, by Floyd's method.
template <class T>
Known count_members(std::vector<reference::Xoroshiro> streams, std::int64_t trials,
                    std::int64_t cap) {
  const auto step = [](std::array<T, 2>& z, T c_re, T c_im) {
    z = {std::fma(z[0], z[0], std::fma(-z[1], z[1], c_re)), std::fma(z[0] + z[0], z[1], c_im)};
  };
  const time_spent::Timer referring(time_spent::Part::references);
  const auto threads = static_cast<std::int64_t>(streams.size());
  constexpr std::int64_t parts = 256;  // of the streams, shared out over the host's cores
  std::vector<Known> found(parts);
  check::on_all_cores(parts, [&](std::int64_t p) {
    Known counted;
    for (std::int64_t i = threads * p / parts; i < threads * (p + 1) / parts; ++i) {
      auto& stream = streams[static_cast<std::size_t>(i)];
      const std::int64_t mine = trials / threads + (i < trials % threads ? 1 : 0);
      for (std::int64_t t = 0; t < mine; ++t) {
        const T c_re = static_cast<T>(stream.uniform() * 3.0 - 2.0);
        const T c_im = static_cast<T>(stream.uniform() * 3.0 - 1.5);
        std::array<T, 2> tortoise{}, hare{};
        bool escaped = false, met = false;
        for (std::int64_t k = 0; k < cap && !escaped && !met; ++k) {
          step(tortoise, c_re, c_im);
          step(hare, c_re, c_im);
          step(hare, c_re, c_im);
          escaped = std::fma(hare[0], hare[0], hare[1] * hare[1]) > 4;
          met = !escaped && tortoise == hare;
        }
        counted.members += escaped ? 0 : 1;
        counted.undecided += escaped || met ? 0 : 1;
      }
    }
    found[static_cast<std::size_t>(p)] = counted;
  });
  Known known;
  for (const auto& part : found) {
    known.members += part.members;
    known.undecided += part.undecided;
  }
  known.states = std::move(streams);
  return known;
}

/// A stream whose first dart is c = -2, the end of the set's antenna, where |z|^2 stays 4: no run
/// of feasible length throws it. Found by a search.
constexpr reference::Xoroshiro throws_minus_two{0xFFFFD65B3FC384FF, 0x000029A4C03C7B01};

Values summary(std::int64_t members, std::int64_t undecided, std::int64_t trials) {
  const double n = static_cast<double>(trials), area = 9 * static_cast<double>(members) / n;
  return {{"members", members},
          {"undecided", undecided},
          {"trials", trials},
          {"area", area},
          {"area_without_undecided", area - 9 * static_cast<double>(undecided) / n},
          {"standard_error", 3.36 / std::sqrt(n)}};
}

struct MandelbrotArea {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto trials = parameters.integer("trials"), all_trials = parameters.share("trials").total;
    const auto threads = parameters.integer("threads"),
               first_stream = parameters.share("threads").begin;
    const auto cap = parameters.integer("max_iterations");
    const auto seed = static_cast<std::uint64_t>(parameters.seed());
    using Number = data::Scalar<Space, std::int64_t>;
    const Number members = data::allocate_scalar<std::int64_t>(space, "members"),
                 undecided = data::allocate_scalar<std::int64_t>(space, "undecided");
    const auto first = data::allocate<random::Xoroshiro>(space, "first states", threads);
    const auto states = data::allocate<random::Xoroshiro>(space, "states", threads);
    random::seed_xoroshiro_states(space, seed, first, first_stream);
    data::input(first);

    const std::int64_t exact = std::min(trials, most_exact);
    const auto expected = std::make_shared<Known>();
    const auto both_counts = [](const Number& m, const Number& u, const Known& right) {
      const auto compare = [](const char* what, const Number& found, std::int64_t known) {
        return check::number(what, static_cast<double>(data::on_host(found)()),
                             static_cast<double>(known), 0);
      };
      return check::both(compare("members with a serial count", m, right.members),
                         compare("undecided likewise", u, right.undecided));
    };
    // A row by the kernel that counts the streams' trials into `members` and `undecided`.
    using States = data::Array<Space, random::Xoroshiro>;
    using Kernel = std::function<void(const States&, std::int64_t, const Number&, const Number&)>;
    const auto row_of = [=](const std::string& variant, const Kernel& kernel) {
      const auto prepare = [=] { Kokkos::deep_copy(space, states, first); };
      const auto judge = [=] {
        if (expected->states.empty())
          *expected = count_members<T>(reference::streams(seed, threads, first_stream), exact, cap);
        const Number fewer("members"), fewer_undecided("undecided");
        const std::int64_t m = data::on_host(members)(), u = data::on_host(undecided)();
        const double n = static_cast<double>(trials), error = 3.36 / std::sqrt(n);
        const double area = 9 * static_cast<double>(m) / n, open = 9 * static_cast<double>(u) / n;
        Verdict verdict;
        if (exact == trials) {
          verdict = both_counts(members, undecided, *expected);
        } else {  // by statistics, and by fewer trials of the same kernel
          prepare();
          kernel(states, exact, fewer, fewer_undecided);
          space.fence("parallax::mandelbrot_area: fewer trials");
          const double middle = (least_area + largest_area + open) / 2;
          const double slack = (largest_area - least_area + open) / 2 + 5 * error;
          verdict =
              check::both(check::number("the area with its proven bounds, by five standard errors",
                                        u >= 0 && u <= m ? area : std::nan(""), middle, slack),
                          both_counts(fewer, fewer_undecided, *expected));
        }
        verdict = check::both(verdict, check::number("states that a serial run does not have",
                                                     static_cast<double>(reference::differing(
                                                         data::on_host(states), expected->states)),
                                                     0, 0));
        const States by_hand("a stream of one dart", 1);
        Kokkos::deep_copy(by_hand, random::Xoroshiro{throws_minus_two.s0, throws_minus_two.s1});
        kernel(by_hand, 1, fewer, fewer_undecided);
        space.fence("parallax::mandelbrot_area: a dart at -2");
        verdict = check::both(verdict, both_counts(fewer, fewer_undecided,
                                                   count_members<T>({throws_minus_two}, 1, cap)));
        std::int64_t all[] = {m, u};
        ranks::sum(all, 2);
        verdict.result = summary(all[0], all[1], all_trials);
        return verdict;
      };
      return Row{.variant = variant,
                 .work = {.items = static_cast<double>(trials)},
                 .judge = {{data::output(space, "members", members, 1),
                            data::output(space, "undecided", undecided, 1)},
                           judge},
                 .run = [=] { kernel(states, trials, members, undecided); },
                 .prepare = prepare};
    };
    const int team = team_size<Space>(parameters, 256);
    return Plan{
        .rows = {row_of("floyd",
                        [=](const States& from, std::int64_t n, const Number& m, const Number& u) {
                          kernels::mandelbrot_area_floyd<T>(space, from, n, cap, m, u);
                        }),
                 with_teams(team, row_of("team_scratch",
                                         [=](const States& from, std::int64_t n, const Number& m,
                                             const Number& u) {
                                           kernels::mandelbrot_area_team_scratch<T>(
                                               space, team, from, n, cap, m, u);
                                         })),
                 row_of("floyd_refill",
                        [=](const States& from, std::int64_t n, const Number& m, const Number& u) {
                          kernels::mandelbrot_area_floyd_refill<T>(space, from, n, cap, m, u);
                        })}};
  }
};

constexpr std::int64_t mebi = std::int64_t{1} << 20;

const Registration<MandelbrotArea, double, float> registration{
    {.name = "mandelbrot_area",
     .summary = "the area of the Mandelbrot set by throwing darts, decided by tortoise and hare",
     .teaches = "divergence when work per thread differs a millionfold; caps and what they bias",
     .parameters =
         {count("trials", "darts, all threads together",
                {.tiny = 4099, .course = 10 * mebi, .large = 100 * mebi, .course_host = mebi / 4},
                1, std::int64_t{1} << 53),
          count("threads", "random streams; the first trials % threads get one dart more",
                {.tiny = 512, .course = mebi, .large = mebi, .course_host = mebi / 64}, 1,
                (std::int64_t{1} << 31) - 1),
          integer("max_iterations", "steps of the tortoise after which a dart is a member", 10'000,
                  1, std::int64_t{1} << 40)},
     .variants = {{"floyd", "tortoise and hare; a thread per stream of darts"},
                  {"team_scratch", "the same, with a tally per team in scratch", Tier::lesson,
                   true},
                  {"floyd_refill", "a decided dart is replaced at once", Tier::tuned}},
     .memory =
         [](const Parameters& p, double) {
           const double bytes = 16 * static_cast<double>(p.integer("threads"));
           const double all = 16 * static_cast<double>(p.share("threads").total);  // to be seeded
           return Memory{.space = 2 * bytes + all + 1e6, .host = 2 * bytes + 1e6};
         },
     .divide = streams_of("trials", "threads")}};

}  // namespace
}  // namespace parallax
