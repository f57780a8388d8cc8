// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include "circle_area/edge_cases.hpp"
#include "circle_area/reference.hpp"
#include "circle_area/tuned.hpp"
#include "exercise/api.hpp"

namespace parallax::circle_area {
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

struct CircleArea {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    namespace k = kernels::circle_area;
    const auto trials = parameters.integer("trials"), all_trials = parameters.share("trials").total;
    const auto threads = parameters.integer("threads"), begin = parameters.share("threads").begin;
    const auto seed = static_cast<std::uint64_t>(parameters.seed());
    const auto hits = outputs::scalar<std::int64_t>(space, "hits");
    const auto first = data::allocate<random::Xoroshiro>(space, "first states", threads);
    const auto states = data::allocate<random::Xoroshiro>(space, "states", threads);
    random::seed_xoroshiro_states(space, seed, first, begin);
    data::input(first);

    // Two words of each state are written. A run of the streams starts from them, so that a kernel
    // must not leave them there; and its check runs the kernel once more.
    const auto rewind = [=] { Kokkos::deep_copy(space, states, first); };
    const Output
        counted = data::output(space, "hits", hits, 1),
        made = data::output(
            space, "states",
            Kokkos::View<std::uint64_t*, typename Space::memory_space, Kokkos::MemoryUnmanaged>(
                reinterpret_cast<std::uint64_t*>(states.data()), 2 * states.extent(0)));
    Output advanced = made;
    advanced.hash = {};
    advanced.shift = {};
    advanced.poison = rewind;

    // One reference for all rows of streams, and their states at first.
    const std::int64_t exact = std::min(trials, most_exact);
    const auto from_start = std::make_shared<std::vector<reference::Xoroshiro>>();
    const auto first_states = [=]() -> const std::vector<reference::Xoroshiro>& {
      const time_spent::Timer referring(time_spent::Part::references);
      if (from_start->empty()) *from_start = reference::streams(seed, threads, begin);
      return *from_start;
    };
    const auto known = std::make_shared<Known>();
    const auto judge = [=](std::int64_t right, const auto& sample) {
      return judge_hits(data::on_host(hits)(), right, trials, all_trials,
                        [&] { return hits_of(space, sample); });
    };
    const auto judge_streams = [=](const auto& kernel) {
      if (known->states.empty()) *known = hits_xoroshiro(first_states(), exact);
      const auto verdict = judge(known->hits, [&](const auto& to) {
        rewind();
        kernel(states, exact, to);
      });
      return check::both(verdict, streams_at_the_edge_by(space, kernel));
    };

    const Work work{.items = parameters.number("trials")};
    RowList rows(work, {});
    const auto streams = [&](const char* variant, const auto& kernel) -> Row& {
      rows.judge = {{counted, advanced}, [=] {
                      const auto verdict = judge_streams(kernel);
                      return check::both(verdict, judge_states(states, known->states));
                    }};
      auto& row = rows.add(variant, [=] { kernel(states, trials, hits); });
      row.prepare = rewind;
      return row;
    };
    // The states of all streams by `seed_all`, without and with the darts.
    const auto from_seed = [&](const char* variant, const auto& kernel, const auto& seed_all) {
      const double count = parameters.number("threads");
      rows.judge = {{made}, [=] { return judge_states(states, first_states()); }};
      auto& making = rows.add(variant, [=] { seed_all(states); });
      making.phase = "generate";
      making.work = Work{.bytes = 16 * count, .items = count, .traffic = Traffic::write};
      streams(variant, kernel);
      rows.judge = {{counted}, [=] { return judge_streams(kernel); }};
      rows.add(variant,
               [=] {
                 const data::Array<Space, random::Xoroshiro> own(
                     Kokkos::view_alloc(space, Kokkos::WithoutInitializing,
                                        "parallax::circle_area::states"),
                     static_cast<std::size_t>(threads));
                 seed_all(own);
                 kernel(own, trials, hits);
               })
          .phase = "end_to_end";
    };
    const auto counter = [&](const char* variant, const auto& kernel, const auto& inside) {
      const auto right = std::make_shared<std::int64_t>(-1);
      rows.judge = {{counted}, [=] {
                      if (*right < 0) *right = hits_philox(seed, exact);
                      const auto verdict =
                          judge(*right, [&](const auto& to) { kernel(exact, to); });
                      return check::both(verdict, coordinates_at_the_edge_by(inside));
                    }};
      rows.add(variant, [=] { kernel(trials, hits); });
    };

    from_seed(
        "xoroshiro",
        [=](const auto& from, std::int64_t n, const auto& to) { k::xoroshiro(space, from, n, to); },
        [=](const auto& to) { random::jump_on_host(seed, to); });
    counter(
        "philox", [=](std::int64_t n, const auto& to) { k::philox(space, seed, n, to); },
        k::Block::inside);
    const auto from_pool = [=](const auto& pool, const auto& to) {
      k::kokkos_pool(space, pool, trials, threads, to);
    };
    rows.judge = {{data::output(space, "hits", hits)}, [=] {
                    const std::int64_t found = data::on_host(hits)();
                    return check::both(plausible(found, trials).with(summary(found, trials)),
                                       pools_of_one_by(space, trials, from_pool));
                  }};
    rows.add("kokkos_pool", [=, pool = make_pool(space, seed)] { from_pool(pool, hits); });
    const int team = team_size<Space>(parameters, 256);
    streams("team_scratch", [=](const auto& from, std::int64_t n, const auto& to) {
      k::team_scratch(space, team, from, n, to);
    }).team_size = team;
    from_seed(
        "xoroshiro_wide",
        [=](const auto& from, std::int64_t n, const auto& to) {
          k::xoroshiro_wide(space, from, n, to);
        },
        [=](const auto& to) { random::seed_xoroshiro_states(space, seed, to); });
    counter(
        "philox_wide",
        [=](std::int64_t n, const auto& to) { k::philox_wide(space, seed, n, threads, to); },
        k::in_circle_exact);
    // Only the streams are dealt to ranks.
    if (parameters.division().ranks > 1)
      for (auto& row : rows.all())
        if (row.phase != "kernel" || !row.prepare) row.unavailable = "runs on one rank alone";
    return rows;
  }
};

constexpr std::int64_t mebi = std::int64_t{1} << 20;

const Registration<CircleArea, float> registration{
    {.name = "circle_area",
     .summary = "the area of the unit circle by throwing darts",
     .teaches = "parallel random streams: states with jumps, counters, a pool of generators",
     .answer = "{hits} of {trials} darts hit; the area is {area}, wrong by {error}; one standard "
               "error is {standard_error}",
     .parameters = {count("trials", "darts, all threads together",
                          {.tiny = 20'483, .course = 10 * mebi, .large = 1000 * mebi}, 1,
                          std::int64_t{1} << 53),
                    count("threads", "random streams; the first trials % threads get one dart more",
                          {.tiny = 2051, .course = mebi, .large = mebi}, 1, std::int64_t{1} << 31)},
     .variants = {lesson("xoroshiro", "a state per thread, 2^64 steps apart, made on the host"),
                  lesson("philox", "counter-based: two darts per index, no state"),
                  lesson("kokkos_pool", "Kokkos' XorShift64 pool: other numbers in every space"),
                  lesson_with_teams("team_scratch",
                                    "xoroshiro in teams, their counts added by a tree in scratch"),
                  tuned("xoroshiro_wide",
                        "states made in parallel, darts decided in single precision"),
                  tuned("philox_wide", "several blocks side by side on a host")},
     .memory =
         [](const Parameters& p, double) {
           const double bytes = 16 * p.number("threads");
           const double all = 16 * static_cast<double>(p.share("threads").total);  // to be seeded
           // Two arrays of states, two of the check's, and the states of a row that makes them
           // anew.
           return Memory{.space = 4 * bytes + all + 64e6, .host = 3 * bytes + 4e6};
         },
     .divide = streams_of("trials", "threads")}};

}  // namespace
}  // namespace parallax::circle_area
