// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "circle_area/tuned.hpp"

#include <initializer_list>
#include <memory>
#include <numbers>
#include <numeric>
#include <type_traits>
#include <vector>

#include "exercise/api.hpp"

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

/// The number of trials that a serial reference does in about a second. Larger counts are judged by
/// statistics, and by this many trials of the same kernel.
constexpr std::int64_t most_exact = std::int64_t{1} << 25;

/// What a serial run finds, and the states that it leaves.
struct Known {
  std::int64_t hits = 0;
  std::vector<reference::Xoroshiro> states{};
};

/// The serial reference of `xoroshiro`: stream after stream, the trials dealt to them.
Known hits_xoroshiro(std::vector<reference::Xoroshiro> streams, std::int64_t trials) {
  const time_spent::Timer referring(time_spent::Part::references);
  const auto threads = static_cast<std::int64_t>(streams.size());
  constexpr std::int64_t parts = 256;  // of the streams, shared out over the host's cores
  std::vector<std::int64_t> hits(parts);
  check::on_all_cores(parts, [&](std::int64_t p) {
    std::int64_t count = 0;
    for (std::int64_t i = threads * p / parts; i < threads * (p + 1) / parts; ++i) {
      auto& stream = streams[static_cast<std::size_t>(i)];
      const std::int64_t mine = trials / threads + (i < trials % threads ? 1 : 0);
      for (std::int64_t t = 0; t < mine; ++t) {
        const double x = stream.uniform() * 2.0 - 1.0;
        const double y = stream.uniform() * 2.0 - 1.0;
        if (x * x + y * y < 1) ++count;
      }
    }
    hits[static_cast<std::size_t>(p)] = count;
  });
  Known known;
  known.hits = std::accumulate(hits.begin(), hits.end(), std::int64_t{0});
  known.states = std::move(streams);
  return known;
}

/// Streams whose first darts no run of feasible length throws: three on the circle, (1, 0), (-1, 0)
/// and (0, 1), which are no hits; two inside and two outside it that single precision puts on the
/// other side; and one far from it. Found by a search. All are repeated three times: more streams
/// than a thread of `xoroshiro_wide` takes at once, and a remainder.
std::vector<reference::Xoroshiro> streams_at_the_edge() {
  const std::initializer_list<reference::Xoroshiro> darts{
      {0xFFFFD65B3FC384FF, 0x000029A4C03C7B00}, {0xFFFFD65B3FC384FF, 0x000029A4C03C7B01},
      {0xFFFFD65B3FC384FF, 0x800029A4C03C7B01}, {0x8FA5384E7A583D73, 0x01CD63EEE7A69FC7},
      {0x4EFC8B70EE46E6AB, 0x0ABB06808F75097F}, {0xDC40CBDB1E1D632C, 0x77437B811D7A96A2},
      {0xC2894DA115C624B9, 0x43826CAAE1F15F88}, {0x0123456789ABCDEF, 0x0FEDCBA987654321}};
  std::vector<reference::Xoroshiro> streams;
  for (int k = 0; k < 3; ++k) streams.insert(streams.end(), darts.begin(), darts.end());
  return streams;
}

/// Is a dart of `philox` a hit? Its coordinates have 32 bits, in [-1, 1).
bool hits_circle(std::uint32_t u, std::uint32_t v) {
  const long double x = static_cast<std::int32_t>(u) / 0x1p31L;
  const long double y = static_cast<std::int32_t>(v) / 0x1p31L;
  return x * x + y * y < 1;  // exact: 64 bits hold the sum
}

/// The serial reference of `philox`: two trials a block.
std::int64_t hits_philox(std::uint64_t seed, std::int64_t trials) {
  const time_spent::Timer referring(time_spent::Part::references);
  return check::sum(trials, [&](std::int64_t t) {
    const auto words = reference::philox(seed, static_cast<std::uint64_t>(t / 2));
    const auto k = static_cast<std::size_t>(2 * (t % 2));
    return std::int64_t{hits_circle(words[k], words[k + 1])};
  });
}

/// Whether `inside` decides darts on the circle, next to it and in the corner correctly; no run
/// throws them. The last two coordinates are a dart too near to the circle for doubles to
/// decide.
template <class Inside>
Verdict at_the_edge(const Inside& inside) {
  constexpr std::uint32_t edge[] = {0,          1,          0x7FFFFFFF, 0x80000000,
                                    0x80000001, 0xFFFFFFFF, 0x5DB9700D, 0x572D2F81};
  int wrong = 0;
  for (const auto u : edge)
    for (const auto v : edge) wrong += (inside(u, v) != 0) == hits_circle(u, v) ? 0 : 1;
  return check::number("darts on and near the circle", wrong, 0, 0);
}

/// A pool whose darts all land at (x, 0).
struct PoolOfOne {
  struct Generator {
    float x;
    bool second = false;
    KOKKOS_FUNCTION float frand() {
      second = !second;
      return second ? (x + 1) / 2 : 0.5F;
    }
  };
  float x;
  KOKKOS_FUNCTION Generator get_state() const { return {x}; }
  KOKKOS_FUNCTION void free_state(const Generator&) const {}
};

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
    const auto trials = parameters.integer("trials"), all_trials = parameters.share("trials").total;
    const auto threads = parameters.integer("threads"),
               first_stream = parameters.share("threads").begin;
    const auto seed = static_cast<std::uint64_t>(parameters.seed());
    const auto hits = data::allocate_scalar<std::int64_t>(space, "hits");
    using Number = data::Scalar<Space, std::int64_t>;
    const auto first = data::allocate<random::Xoroshiro>(space, "first states", threads);
    const auto states = data::allocate<random::Xoroshiro>(space, "states", threads);
    random::seed_xoroshiro_states(space, seed, first, first_stream);
    data::input(first);

    const std::int64_t exact = std::min(trials, most_exact);
    // The hits of `sample(to)`, apart from those that the row found.
    const auto hits_of = [=](const auto& sample) {
      const Number to("hits of the check");
      sample(to);
      space.fence("parallax::circle_area: another sample");
      return static_cast<double>(data::on_host(to)());
    };
    // Judges the count, where the first `exact` trials have `known` hits: exactly, or else by
    // statistics and by `hits_of_fewer()`.
    const auto judge_hits = [=](std::int64_t known, const auto& hits_of_fewer) {
      const std::int64_t found = data::on_host(hits)();
      auto verdict = check::number("hits with a serial count", static_cast<double>(found),
                                   static_cast<double>(known), 0);
      if (exact < trials)
        verdict = check::both(plausible(found, trials),
                              check::number("hits of 2^25 trials with a serial count",
                                            hits_of_fewer(), static_cast<double>(known), 0));
      std::int64_t all = found;
      ranks::sum(&all, 1);
      verdict.result = summary(all, all_trials);
      return verdict;
    };
    const Work work{.items = static_cast<double>(trials)};
    const int team = team_size<Space>(parameters, 256);
    Plan plan;

    // One reference for all rows of streams, and their states at first.
    const auto known = std::make_shared<Known>();
    const auto from_start = std::make_shared<std::vector<reference::Xoroshiro>>();
    const auto first_states = [=]() -> const std::vector<reference::Xoroshiro>& {
      const time_spent::Timer referring(time_spent::Part::references);
      if (from_start->empty()) *from_start = reference::streams(seed, threads, first_stream);
      return *from_start;
    };
    const auto edge = streams_at_the_edge();
    const auto edge_trials = static_cast<std::int64_t>(edge.size());
    const auto edge_hits = static_cast<double>(hits_xoroshiro(edge, edge_trials).hits);
    const auto rewind = [=] { Kokkos::deep_copy(space, states, first); };
    const auto judge_streams = [=](const auto& kernel) {
      if (known->states.empty()) *known = hits_xoroshiro(first_states(), exact);
      const auto verdict = judge_hits(known->hits, [&] {
        rewind();
        return hits_of([&](const Number& to) { kernel(states, exact, to); });
      });
      const data::Array<Space, random::Xoroshiro> by_hand("streams at the edge", edge.size());
      const auto copy = Kokkos::create_mirror_view(by_hand);
      for (std::size_t i = 0; i < edge.size(); ++i) copy(i) = {edge[i].s0, edge[i].s1};
      Kokkos::deep_copy(by_hand, copy);
      const double found = hits_of([&](const Number& to) { kernel(by_hand, edge_trials, to); });
      return check::both(verdict,
                         check::number("darts on and near the circle", found, edge_hits, 0));
    };
    const auto streams = [&](Row row, const auto& kernel) {
      row.work = work;
      row.prepare = rewind;
      row.run = [=] { kernel(states, trials, hits); };
      auto left = output_of<Space>(space, states);
      left.hash = {};  // the check runs the kernel once more
      left.shift = {};
      left.poison = rewind;  // the run starts from them: a kernel must not leave them there
      row.judge = {{data::output(space, "hits", hits, 1), left}, [=] {
                     const auto verdict = judge_streams(kernel);
                     return check::both(verdict, check_states(states, known->states));
                   }};
      plan.rows.push_back(row);
    };
    // The states of all streams by `seed_all`, without and with the darts.
    const auto from_seed = [&](const char* variant, const auto& kernel, const auto& seed_all) {
      Row row{.variant = variant, .phase = "generate"};
      const auto count = static_cast<double>(threads);
      row.work = {.bytes = 16 * count, .items = count, .traffic = Traffic::write};
      row.judge = {{output_of<Space>(space, states)},
                   [=] { return check_states(states, first_states()); }};
      row.run = [=] { seed_all(states); };
      plan.rows.push_back(row);
      streams({.variant = variant}, kernel);
      row = {.variant = variant, .phase = "end_to_end", .work = work};
      row.judge = {{data::output(space, "hits", hits, 1)}, [=] { return judge_streams(kernel); }};
      row.run = [=] {
        const Kokkos::View<random::Xoroshiro*, typename Space::memory_space> own(
            Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::circle_area::states"),
            static_cast<std::size_t>(threads));
        seed_all(own);
        kernel(own, trials, hits);
      };
      plan.rows.push_back(row);
    };
    const auto counter = [&](Row row, const auto& kernel, const auto& inside) {
      const auto count = std::make_shared<std::int64_t>(-1);
      row.work = work;
      row.judge = {{data::output(space, "hits", hits, 1)}, [=] {
                     if (*count < 0) *count = hits_philox(seed, exact);
                     const auto verdict = judge_hits(*count, [&] {
                       return hits_of([&](const Number& to) { kernel(exact, to); });
                     });
                     return check::both(verdict, at_the_edge(inside));
                   }};
      row.run = [=] { kernel(trials, hits); };
      plan.rows.push_back(row);
    };

    from_seed(
        "xoroshiro",
        [=](const auto& from, std::int64_t count, const auto& to) {
          kernels::circle_area_xoroshiro(space, from, count, to);
        },
        [=](const auto& to) { random::jump_on_host(seed, to); });
    counter(
        {.variant = "philox"},
        [=](std::int64_t count, const auto& to) {
          kernels::circle_area_philox(space, seed, count, to);
        },
        kernels::CirclePhilox::inside);
    const auto pool = make_pool(space, seed);
    Row from_pool{.variant = "kokkos_pool", .work = work};
    from_pool.judge = {
        {data::output(space, "hits", hits)}, [=] {
          const std::int64_t found = data::on_host(hits)();
          auto verdict = plausible(found, trials);
          verdict.result = summary(found, trials);
          // Numbers from a pool are not known; from other generators they are.
          const auto hits_at = [&](float x) {
            return hits_of([&](const Number& to) {
              kernels::circle_area_kokkos_pool(space, PoolOfOne{x}, trials, threads, to);
            });
          };
          return check::both(verdict,
                             check::both(check::number("darts in the middle", hits_at(0),
                                                       static_cast<double>(trials), 0),
                                         check::number("darts on the circle", hits_at(1), 0, 0)));
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
    counter(
        {.variant = "philox_wide"},
        [=](std::int64_t count, const auto& to) {
          kernels::circle_area_philox_wide(space, seed, count, threads, to);
        },
        kernels::in_circle_exact);
    // Only the streams are dealt to ranks.
    if (parameters.division().ranks > 1)
      for (auto& row : plan.rows)
        if (row.phase != "kernel" || !row.prepare) row.unavailable = "runs on one rank alone";
    return plan;
  }

  /// States as an output: two words each.
  template <class Space, class States>
  static Output output_of(const Space& space, const States& states) {
    return data::output(
        space, "states",
        Kokkos::View<std::uint64_t*, typename Space::memory_space, Kokkos::MemoryUnmanaged>(
            reinterpret_cast<std::uint64_t*>(states.data()), 2 * states.extent(0)));
  }

  template <class States>
  static Verdict check_states(const States& states,
                              const std::vector<reference::Xoroshiro>& expected) {
    return check::number("states that a serial run does not have",
                         static_cast<double>(reference::differing(data::on_host(states), expected)),
                         0, 0);
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
                          {.tiny = 2051, .course = mebi, .large = mebi}, 1, std::int64_t{1} << 31)},
     .variants = {{"xoroshiro", "a state per thread, 2^64 steps apart, made on the host"},
                  {"philox", "counter-based: two darts per index, no state"},
                  {"kokkos_pool", "Kokkos' XorShift64 pool: other numbers in every space"},
                  {"team_scratch", "xoroshiro in teams, their counts added by a tree in scratch",
                   Tier::lesson, true},
                  {"xoroshiro_wide", "states made in parallel, darts decided in single precision",
                   Tier::tuned},
                  {"philox_wide", "several blocks side by side on a host", Tier::tuned}},
     .memory =
         [](const Parameters& p, double) {
           const double bytes = 16 * static_cast<double>(p.integer("threads"));
           const double all = 16 * static_cast<double>(p.share("threads").total);  // to be seeded
           return Memory{.space = 3 * bytes + all + 64e6, .host = 3 * bytes + 4e6};
         },
     .divide = streams_of("trials", "threads")}};

}  // namespace
}  // namespace parallax
