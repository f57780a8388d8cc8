// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "ragged_sum/tuned.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "data/events.hpp"
#include "exercise/api.hpp"

namespace parallax {
namespace {

/// Content element i: -7.5, -6.5 ... 7.5, never 0, so that no element is lost unseen. Sums stay
/// near 0: 2e9 elements sum to some 2e5, and float holds halves up to 2^23. So every sum is
/// exact in any order, and the check needs no tolerance.
struct Element {
  std::int64_t seed, begin;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    return static_cast<int>(16 * data::uniform_at<double>(seed, begin + i)) - 7.5;
  }
};

struct RaggedSum {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("n");
    const Share share = parameters.share("n");
    const data::ListLengths lengths{parameters.seed(), parameters.real("mean"),
                                    std::min(share.total, parameters.integer("giants")),
                                    parameters.integer("giant")};
    const auto offsets =
        data::list_offsets(space, share.begin, n, std::max<std::int64_t>(share.total, 1), lengths);
    const auto host_offsets = data::on_host(offsets);
    const std::int64_t elements = host_offsets(static_cast<std::size_t>(n));
    const auto content = data::allocate<T>(space, "content", elements);
    data::fill(space, content, Element{parameters.seed(), data::before_this_rank(elements)});
    const auto sums = data::allocate<T>(space, "sums", n);
    const kernels::ragged_sum::Workspace<Space, T> workspace(space, elements);

    const auto host_content = data::on_host(content);
    constexpr std::int64_t stretch = 1024;  // lists that a core takes at a time
    const auto expected = std::make_shared<std::vector<double>>(static_cast<std::size_t>(n));
    {
      const time_spent::Timer referring(time_spent::Part::references);
      check::on_all_cores((n + stretch - 1) / stretch, [&](std::int64_t s) {
        for (std::int64_t i = s * stretch; i < std::min(n, (s + 1) * stretch); ++i)
          for (auto e = host_offsets(i); e < host_offsets(i + 1); ++e)
            (*expected)[static_cast<std::size_t>(i)] += static_cast<double>(host_content(e));
      });
    }
    const Judge judge{
        {data::output(space, "sums", sums, 0.5)}, [=] {
          const auto h = data::on_host(sums);
          auto verdict = check::elements(
              "every sum with a serial sum, exactly", n, [&](std::int64_t i) { return h(i); },
              [&](std::int64_t i) { return (*expected)[static_cast<std::size_t>(i)]; }, 0.0);
          verdict.result = data::sum_and_ends(h, "total");
          const auto all = static_cast<std::int64_t>(ranks::total(static_cast<double>(elements)));
          verdict.result.emplace(verdict.result.begin(), "elements", all);
          return verdict;
        }};
    const double lists = static_cast<double>(n), count = static_cast<double>(elements);
    const Work work{.bytes = 4 * (lists + 1) + sizeof(T) * (count + lists),
                    .flops = count,
                    .items = count,
                    .traffic = Traffic::copy};
    Plan plan;
    const auto row = [&](const char* variant, std::function<void()> run) {
      return Row{.variant = variant, .work = work, .judge = judge, .run = std::move(run)};
    };
    namespace k = kernels::ragged_sum;
    const int team = team_size<Space>(parameters, 256), warp = team_size<Space>(parameters, 32);
    plan.rows = {
        row("list_per_thread", [=] { k::list_per_thread(space, offsets, content, sums); }),
        with_teams(warp, row("list_per_team",
                             [=] { k::list_per_team(space, warp, offsets, content, sums); })),
        Row{.variant = "atomic",
            .work = with_atomics(work, {Access::atomic_in_order, count, sizeof(T) * lists}),
            .judge = judge,
            .run = [=] { k::atomic(space, offsets, content, sums); }},
        with_teams(team, row("team_scratch",
                             [=] { k::team_scratch(space, team, offsets, content, sums); })),
        with_teams(k::Tuning<Space>::workers,
                   row("balanced", [=] { k::balanced(space, offsets, content, sums, workspace); })),
    };
    return plan;
  }
};

const Registration<RaggedSum, float, double> registration{
    {.name = "ragged_sum",
     .summary = "the sum of each list of a ragged array",
     .teaches = "ragged data; load balance; work split by elements, not lists",
     .parameters =
         {count(
              "n", "lists",
              {.tiny = 2003, .course = 10'000'000, .large = 100'000'000, .course_host = 2'000'000},
              1, 2'000'000'000),
          real("mean", "mean length of a list (Poisson)", 3, 0, 10'000),
          integer("giants", "lists that are giants", 3, 0, 1'000'000),
          count("giant", "elements of a giant",
                {.tiny = 20'011, .course = 1'000'000, .large = 10'000'000}, 0, 2'000'000'000)},
     .variants = {{"list_per_thread", "one thread per list"},
                  {"list_per_team", "one team per list", Tier::lesson, true},
                  {"atomic", "one thread per element, atomic additions"},
                  {"team_scratch", "one thread per list, elements staged in scratch", Tier::lesson,
                   true},
                  {"balanced", "short lists by threads, long ones split by elements", Tier::tuned}},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           const double lists = static_cast<double>(p.integer("n"));
           const double elements =
               lists * p.real("mean") +
               static_cast<double>(p.integer("giants")) * static_cast<double>(p.integer("giant"));
           // Offsets, sums and the reference's doubles; content and the workspace.
           const double bytes =
               (12 + scalar_bytes) * lists + (0.13 + 1.01 * scalar_bytes) * elements;
           return Memory{.space = bytes, .host = bytes};
         },
     .validate =
         [](const Parameters& p) {
           const double elements =
               static_cast<double>(p.integer("n")) * p.real("mean") +
               static_cast<double>(p.integer("giants")) * static_cast<double>(p.integer("giant"));
           if (elements > 2.1e9)
             throw UsageError("n, mean, giants and giant make about " +
                              std::to_string(static_cast<std::int64_t>(elements)) +
                              " elements; 2100000000 are the most");
         },
     .divide = elements_of("n")}};

}  // namespace
}  // namespace parallax
