// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "circle_area/tuned.hpp"

#include <memory>
#include <numbers>
#include <type_traits>
#include <vector>

#include "data/reference_random.hpp"
#include "harness/check.hpp"
#include "harness/data.hpp"
#include "harness/registration.hpp"
#include "harness/team_size.hpp"

namespace parallax {
namespace {

/// Kokkos's pool of generators. The one of Kokkos 4.5 takes no space to be seeded in.
template <class Space>
auto make_pool([[maybe_unused]] const Space& space, std::uint64_t seed) {
  using Pool = Kokkos::Random_XorShift64_Pool<Space>;
  if constexpr (std::is_constructible_v<Pool, const Space&, std::uint64_t>) {
    return Pool(space, seed);
  } else {
    return Pool(seed);
  }
}

/// As many trials as a serial reference does in about a second. Larger counts are judged by
/// statistics, and by this many trials of the same kernel.
constexpr std::int64_t most_exact = std::int64_t{1} << 25;

/// The serial reference of `xoroshiro`: stream after stream, a jump between.
std::int64_t hits_xoroshiro(std::uint64_t seed, std::int64_t trials, std::int64_t threads) {
  std::int64_t hits = 0;
  auto first = reference::Xoroshiro::seeded(seed);
  for (std::int64_t i = 0; i < threads; ++i, first.jump()) {
    auto stream = first;
    const std::int64_t mine = trials / threads + (i < trials % threads ? 1 : 0);
    for (std::int64_t t = 0; t < mine; ++t) {
      const double x = stream.uniform() * 2.0 - 1.0;
      const double y = stream.uniform() * 2.0 - 1.0;
      if (x * x + y * y < 1) ++hits;
    }
  }
  return hits;
}

/// The serial reference of `philox`: two trials a block, coordinates of 32 bits in [-1, 1).
std::int64_t hits_philox(std::uint64_t seed, std::int64_t trials) {
  std::int64_t hits = 0;
  for (std::int64_t t = 0; t < trials; ++t) {
    const auto words = reference::philox(seed, static_cast<std::uint64_t>(t / 2));
    const auto k = static_cast<std::size_t>(2 * (t % 2));
    const auto coordinate = [](std::uint32_t word) {
      return static_cast<long double>(static_cast<std::int32_t>(word)) / 0x1p31L;
    };
    const long double x = coordinate(words[k]), y = coordinate(words[k + 1]);
    if (x * x + y * y < 1) ++hits;  // exact: 64 bits hold the sum
  }
  return hits;
}

/// Is the area within five standard errors of pi?
Verdict plausible(std::int64_t hits, std::int64_t trials) {
  const double n = static_cast<double>(trials), area = 4 * static_cast<double>(hits) / n;
  // For a handful of trials the normal approximation is off: no count is implausible by less
  // than 4.
  const double tolerance = 5 * std::sqrt(std::numbers::pi * (4 - std::numbers::pi) / n) + 4 * 4 / n;
  return check::number("the area with pi, by five standard errors", area, std::numbers::pi,
                       tolerance);
}

Values summary(std::int64_t hits, std::int64_t trials) {
  const double n = static_cast<double>(trials), area = 4 * static_cast<double>(hits) / n;
  return {{"hits", hits},
          {"trials", trials},
          {"area", area},
          {"error", std::abs(area - std::numbers::pi)},
          {"standard_error", std::sqrt(std::numbers::pi * (4 - std::numbers::pi) / n)}};
}

struct CircleArea {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto trials = parameters.integer("trials");
    const auto threads = parameters.integer("threads");
    const auto seed = static_cast<std::uint64_t>(parameters.seed());
    const auto hits = data::allocate_scalar<std::int64_t>(space, "hits");
    const auto first = data::allocate<random::Xoroshiro>(space, "first states", threads);
    const auto states = data::allocate<random::Xoroshiro>(space, "states", threads);
    random::seed_xoroshiro_states(space, seed, first);
    data::input(first);

    /// Judges the count of `sample(trials, to)` exactly, or else by statistics and fewer trials.
    const auto judge = [=](const auto& sample, const auto& expected) {
      const auto known = std::make_shared<std::int64_t>(-1);
      const std::int64_t exact = std::min(trials, most_exact);
      return Judge{
          {data::output(space, "hits", hits, 1)}, [=] {
            if (*known < 0) *known = expected(exact);
            const std::int64_t found = data::on_host(hits)();
            auto verdict = check::number("hits with a serial count", static_cast<double>(found),
                                         static_cast<double>(*known), 0);
            if (exact < trials) {
              const data::Scalar<Space, std::int64_t> fewer("hits of fewer trials");
              sample(exact, fewer);
              space.fence("parallax::circle_area: fewer trials");
              verdict = check::both(plausible(found, trials),
                                    check::number("hits of 2^25 trials with a serial count",
                                                  static_cast<double>(data::on_host(fewer)()),
                                                  static_cast<double>(*known), 0));
            }
            verdict.result = summary(found, trials);
            return verdict;
          }};
    };
    const Work work{.items = static_cast<double>(trials)};
    const int team = team_size<Space>(parameters, 256);
    Plan plan;

    const auto streams = [&](Row row, const auto& kernel) {
      const auto from_start = [=](std::int64_t count, const auto& to) {
        Kokkos::deep_copy(space, states, first);
        kernel(states, count, to);
      };
      row.work = work;
      row.judge = judge(from_start,
                        [=](std::int64_t count) { return hits_xoroshiro(seed, count, threads); });
      row.prepare = [=] { Kokkos::deep_copy(space, states, first); };
      row.run = [=] { kernel(states, trials, hits); };
      plan.rows.push_back(row);
    };
    // The states of all streams by `seed_all`, alone and with the darts.
    const auto from_seed = [&](const char* variant, const auto& kernel, const auto& seed_all) {
      plan.rows.push_back(seeding(space, variant, states, seed, seed_all));
      streams({.variant = variant}, kernel);
      Row row = plan.rows.back();
      row.phase = "end_to_end";
      row.prepare = {};
      row.run = [=] {
        const Kokkos::View<random::Xoroshiro*, typename Space::memory_space> own(
            Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::circle_area::states"),
            static_cast<std::size_t>(threads));
        seed_all(own);
        kernel(own, trials, hits);
      };
      plan.rows.push_back(row);
    };
    const auto counter = [&](Row row, const auto& kernel) {
      row.work = work;
      row.judge = judge(kernel, [=](std::int64_t count) { return hits_philox(seed, count); });
      row.run = [=] { kernel(trials, hits); };
      plan.rows.push_back(row);
    };

    from_seed(
        "xoroshiro",
        [=](const auto& from, std::int64_t count, const auto& to) {
          kernels::circle_area_xoroshiro(space, from, count, to);
        },
        [=](const auto& to) { random::jump_on_host(seed, to); });
    counter({.variant = "philox"}, [=](std::int64_t count, const auto& to) {
      kernels::circle_area_philox(space, seed, count, to);
    });
    const auto pool = make_pool(space, seed);
    Row from_pool{.variant = "kokkos_pool", .work = work};
    from_pool.judge = {{data::output(space, "hits", hits)}, [=] {
                         const std::int64_t found = data::on_host(hits)();
                         auto verdict = plausible(found, trials);
                         verdict.result = summary(found, trials);
                         return verdict;
                       }};
    from_pool.run = [=] { kernels::circle_area_kokkos_pool(space, pool, trials, threads, hits); };
    plan.rows.push_back(from_pool);
    streams(with_teams(team, {.variant = "team_scratch"}),
            [=](const auto& from, std::int64_t count, const auto& to) {
              kernels::circle_area_team_scratch(space, team, from, count, to);
            });
    from_seed(
        "xoroshiro_wide",
        [=](const auto& from, std::int64_t count, const auto& to) {
          kernels::circle_area_xoroshiro_wide(space, from, count, to);
        },
        [=](const auto& to) { random::seed_xoroshiro_states(space, seed, to); });
    counter({.variant = "philox_wide"}, [=](std::int64_t count, const auto& to) {
      kernels::circle_area_philox_wide(space, seed, count, threads, to);
    });
    return plan;
  }

  /// The making of states: each with a serial jump from the one before.
  template <class Space, class States, class SeedAll>
  static Row seeding(const Space& space, const char* variant, const States& states,
                     std::uint64_t seed, const SeedAll& seed_all) {
    const auto threads = static_cast<std::int64_t>(states.extent(0));
    const Kokkos::View<std::uint64_t*, typename Space::memory_space, Kokkos::MemoryUnmanaged> words(
        reinterpret_cast<std::uint64_t*>(states.data()), 2 * states.extent(0));
    Row row{.variant = variant, .phase = "generate"};
    row.work = {.bytes = 16 * static_cast<double>(threads),
                .items = static_cast<double>(threads),
                .traffic = Traffic::write};
    row.judge = {{data::output(space, "states", words)}, [=] {
                   const auto found = data::on_host(states);
                   std::vector<std::uint64_t> expected;
                   expected.reserve(2 * states.extent(0));
                   auto state = reference::Xoroshiro::seeded(seed);
                   for (std::int64_t i = 0; i < threads; ++i, state.jump()) {
                     expected.push_back(state.s0);
                     expected.push_back(state.s1);
                   }
                   // Words are compared as integers: a double would not hold their 64 bits.
                   return check::elements(
                       "every state with serial jumps", 2 * threads,
                       [&](std::int64_t i) {
                         const auto k = static_cast<std::size_t>(i);
                         const auto word = k % 2 == 0 ? found(k / 2).s0 : found(k / 2).s1;
                         return word == expected[k] ? 0.0 : 1.0;
                       },
                       [](std::int64_t) { return 0.0; }, 0.0);
                 }};
    row.run = [=] { seed_all(states); };
    return row;
  }
};

constexpr std::int64_t mebi = std::int64_t{1} << 20;

const Registration<CircleArea, float> registration{
    {.name = "circle_area",
     .summary = "the area of the unit circle by throwing darts",
     .teaches = "parallel random streams: states with jumps, counters, a pool of generators",
     .parameters = {count("trials", "darts, all threads together",
                          {.tiny = 20'483, .course = 10 * mebi, .large = 1000 * mebi}, 1,
                          std::int64_t{1} << 53),
                    count("threads", "random streams; the first trials % threads get one dart more",
                          {.tiny = 1024, .course = mebi, .large = mebi}, 1, std::int64_t{1} << 31)},
     .variants = {{"xoroshiro", "a state per thread, 2^64 steps apart, made on the host"},
                  {"philox", "counter-based: two darts per index, no state"},
                  {"kokkos_pool", "Kokkos' XorShift64 pool: other numbers in every space"},
                  {"team_scratch", "xoroshiro in teams, their counts added by a tree in scratch",
                   Tier::lesson, true},
                  {"xoroshiro_wide", "states made in parallel, darts decided in single precision",
                   Tier::tuned},
                  {"philox_wide", "several blocks side by side on a host", Tier::tuned}},
     .memory = [](const Parameters& p, double) {
       const double bytes = 16 * static_cast<double>(p.integer("threads"));
       return Memory{.space = 3 * bytes + 64e6, .host = 2 * bytes + 4e6};
     }}};

}  // namespace
}  // namespace parallax
