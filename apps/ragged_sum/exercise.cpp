// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "ragged_sum/tuned.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "data/events.hpp"
#include "harness/check.hpp"
#include "harness/data.hpp"
#include "harness/error.hpp"
#include "harness/registration.hpp"
#include "harness/team_size.hpp"

namespace parallax {
namespace {

/// Content element i: in [1/2, 1), so that no element is lost unseen.
template <class T>
struct Element {
  std::int64_t seed;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const {
    return T(0.5) + T(0.5) * data::uniform_at<T>(seed, i);
  }
};

struct RaggedSum {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("n");
    const data::ListLengths lengths{parameters.seed(), parameters.real("mean"),
                                    std::min(n, parameters.integer("giants")),
                                    parameters.integer("giant")};
    const auto offsets = data::list_offsets(space, 0, n, std::max<std::int64_t>(n, 1), lengths);
    const auto host_offsets = data::on_host(offsets);
    const std::int64_t elements = host_offsets(static_cast<std::size_t>(n));
    const auto content = data::allocate<T>(space, "content", elements);
    data::fill(space, content, Element<T>{parameters.seed()});
    const auto sums = data::allocate<T>(space, "sums", n);
    const kernels::ragged_sum::Workspace<Space, T> workspace(space, elements);

    // In double precision, whatever the kernel's: exact enough for float; compensated for double.
    const auto host_content = data::on_host(content);
    const auto expected = std::make_shared<std::vector<double>>(static_cast<std::size_t>(n));
    double largest = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      long double sum = 0;
      for (auto e = host_offsets(i); e < host_offsets(i + 1); ++e)
        sum += static_cast<long double>(host_content(e));
      (*expected)[static_cast<std::size_t>(i)] = static_cast<double>(sum);
      largest = std::max(largest, static_cast<double>(sum));
    }
    const Judge judge{
        {data::output(space, "sums", sums)}, [=] {
          const auto h = data::on_host(sums);
          // Terms are positive: m of them, added in any order, are off by at most
          // (m - 1) eps of the sum.
          auto verdict = check::elements(
              "every sum with a serial sum in extended precision", n,
              [&](std::int64_t i) { return h(i); },
              [&](std::int64_t i) { return (*expected)[static_cast<std::size_t>(i)]; },
              [&](std::int64_t i) {
                const double m = host_offsets(i + 1) - host_offsets(i);
                return std::min(m, 1e5) * std::numeric_limits<T>::epsilon() *
                       (*expected)[static_cast<std::size_t>(i)];
              });
          verdict.result = data::sum_and_ends(h, "total");
          verdict.result.emplace(verdict.result.begin(), "elements", elements);
          return verdict;
        }};
    const double lists = static_cast<double>(n), count = static_cast<double>(elements);
    const Work work{.bytes = 4 * (lists + 1) + sizeof(T) * (count + lists),
                    .flops = count,
                    .items = count,
                    .traffic = Traffic::copy};
    Plan plan;
    // One running sum ends at 1 / eps: a unit in the last place is 1, and an element of [1/2, 1) is
    // added as 1. Where a team's threads each have a sum, it ends that many times as late. Tiles'
    // sums are at least 512: up to 16 / eps, half a unit is 4 at most, 0.8 % of them, and the
    // tolerance of such lists 1.2 % in single precision.
    const auto too_long = [=](double later) {
      return largest < later / static_cast<double>(std::numeric_limits<T>::epsilon())
                 ? ""
                 : "a list is too long for one sum in this precision";
    };
    const auto row = [&](const char* variant, const char* unavailable, std::function<void()> run) {
      return Row{.variant = variant,
                 .work = work,
                 .judge = judge,
                 .run = std::move(run),
                 .unavailable = unavailable};
    };
    namespace k = kernels::ragged_sum;
    const int team = team_size<Space>(parameters, 256), warp = team_size<Space>(parameters, 32);
    plan.rows = {
        row("list_per_thread", too_long(1),
            [=] { k::list_per_thread(space, offsets, content, sums); }),
        with_teams(warp, row("list_per_team", too_long(warp),
                             [=] { k::list_per_team(space, warp, offsets, content, sums); })),
        row("atomic", too_long(1), [=] { k::atomic(space, offsets, content, sums); }),
        with_teams(team, row("team_scratch", too_long(16),
                             [=] { k::team_scratch(space, team, offsets, content, sums); })),
        with_teams(
            k::Tuning<Space>::workers,
            row("balanced", "", [=] { k::balanced(space, offsets, content, sums, workspace); })),
    };
    return plan;
  }
};

const Registration<RaggedSum, float, double> registration{
    {.name = "ragged_sum",
     .summary = "the sum of each list of a ragged array",
     .teaches = "ragged data; load balance; work split by elements, not lists",
     .parameters = {count("n", "lists",
                          {.tiny = 10'007,
                           .course = 10'000'000,
                           .large = 100'000'000,
                           .course_host = 2'000'000},
                          1, 2'000'000'000),
                    real("mean", "mean length of a list (Poisson)", 3, 0, 10'000),
                    integer("giants", "lists that are giants", 3, 0, 1'000'000),
                    count("giant", "elements of a giant",
                          {.tiny = 20'011, .course = 1'000'000, .large = 10'000'000}, 0,
                          2'000'000'000)},
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
         }}};

}  // namespace
}  // namespace parallax
