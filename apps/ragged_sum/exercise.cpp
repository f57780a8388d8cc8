// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "ragged_sum/tuned.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "data/events.hpp"
#include "exercise/api.hpp"
#include "ragged_sum/library.hpp"
#include "ragged_sum/reference.hpp"

namespace parallax::ragged_sum {
namespace {

/// Of `lists` lists together.
double expected_elements(const Parameters& p, double lists) {
  return lists * p.real("mean") + std::min(lists, p.number("giants")) * p.number("giant");
}
double expected_elements(const Parameters& p) { return expected_elements(p, p.number("n")); }

struct RaggedSum {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("n");
    const Share share = parameters.share("n");
    const data::ListLengths lengths{parameters.seed(), parameters.real("mean"),
                                    std::min(share.total, parameters.integer("giants")),
                                    parameters.integer("giant")};
    const bool course = parameters.text("input") == "course";
    const auto offsets =
        course ? inputs::array<std::int32_t>(space, "offsets", n + 1, CourseOffset{share.begin})
               : data::list_offsets(space, share.begin, n, std::max<std::int64_t>(share.total, 1),
                                    lengths);
    const auto host_offsets = data::on_host(offsets);
    const std::int64_t elements = host_offsets(static_cast<std::size_t>(n));
    const double unit = unit_of<T>(expected_elements(parameters, static_cast<double>(share.total)));
    const auto content = inputs::array<T>(
        space, "content", elements,
        Element{parameters.seed(), data::before_this_rank(elements), unit, course});
    const auto sums = outputs::array<T>(space, "sums", n);
    const kernels::ragged_sum::Workspace<Space, T> workspace(space, elements);
    const auto expected =
        std::make_shared<const std::vector<double>>(sums_of(host_offsets, data::on_host(content)));
    const double lists = static_cast<double>(n), count = static_cast<double>(elements);

    Rows rows(
        space,
        {.bytes = 4 * (lists + 1) + sizeof(T) * (count + lists),
         .flops = count,
         .items = count,
         .traffic = Traffic::copy},
        written("sums", sums, course ? 0.5 : unit), [=](const auto& found) {
          // 1.1 and such are rounded, and so are their sums, which are below 16.
          auto verdict =
              check::each(
                  course ? "every sum with a serial sum" : "every sum with a serial sum, exactly",
                  found, [=](std::int64_t i) { return (*expected)[static_cast<std::size_t>(i)]; },
                  [=](std::int64_t) {
                    return course ? 16.0 * std::numeric_limits<T>::epsilon() : 0.0;
                  })
                  .with({{"elements", static_cast<std::int64_t>(ranks::total(count))}})
                  .with(data::sum_and_ends(found, "total"));
          for (std::int64_t i = 0; course && i < std::min<std::int64_t>(n, 3); ++i)
            verdict.result.emplace_back("sum_" + std::to_string(i), found(i));
          return verdict;
        });
    namespace k = kernels::ragged_sum;
    const int team = team_size<Space>(parameters), warp = team_size<Space>(parameters, 32);
    rows.add("list_per_thread", [=] { k::list_per_thread(space, offsets, content, sums); });
    rows.add("list_per_team", with_teams(warp),
             [=] { k::list_per_team(space, warp, offsets, content, sums); });
    rows.add("atomic", [=] { k::atomic(space, offsets, content, sums); }).work =
        with_atomics(rows.work, {Access::atomic_in_order, count, sizeof(T) * lists});
    rows.add("team_scratch", with_teams(team),
             [=] { k::team_scratch(space, team, offsets, content, sums); });
    rows.add("balanced", with_teams(k::Tuning<Space>::workers),
             [=] { k::balanced(space, offsets, content, sums, workspace); });
    rows.add("library", bindings::library_segmented_sum(space, offsets, content, sums))
        .unavailable = vendor::refusal<Space>(n);
    return rows;
  }
};

const Registration<RaggedSum, float, double> registration{
    {.name = "ragged_sum",
     .summary = "the sum of each list of a ragged array",
     .teaches = "ragged data; load balance; work split by elements, not lists",
     .answer = "the lists have {elements} elements, which add up to {total}; the first list adds "
               "up to {first}, the last to {last}",
     .parameters =
         {count(
              "n", "lists",
              {.tiny = 2003, .course = 10'000'000, .large = 100'000'000, .course_host = 2'000'000},
              1, 2'000'000'000),
          real("mean", "mean length of a list (Poisson)", 3, 0, 10'000),
          integer("giants", "lists that are giants", 3, 0, 1'000'000),
          count("giant", "elements of a giant",
                {.tiny = 20'011, .course = 1'000'000, .large = 10'000'000}, 0, 2'000'000'000),
          choice("input", "generated; course: [[1.1, 2.2, 3.3], [], [4.4, 5.5]] and empty lists",
                 {"generated", "course"})},
     .variants = {lesson("list_per_thread", "one thread per list"),
                  lesson_with_teams("list_per_team", "one team per list"),
                  lesson("atomic", "one thread per element, atomic additions"),
                  lesson_with_teams("team_scratch",
                                    "one thread per list, elements staged in scratch"),
                  tuned("balanced", "short lists by threads, long ones split by elements"),
                  library("library", "the vendor's segmented sum, its scratch memory made once")},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           // Offsets, sums and the reference's doubles; content and the workspace.
           const double bytes = (12 + scalar_bytes) * p.number("n") +
                                (0.13 + 1.01 * scalar_bytes) * expected_elements(p);
           return Memory{.space = bytes, .host = bytes};
         },
     .validate =
         [](const Parameters& p) {
           if (expected_elements(p) > 2.1e9)
             throw UsageError("n, mean, giants and giant make about " +
                              std::to_string(static_cast<std::int64_t>(expected_elements(p))) +
                              " elements; 2100000000 are the most");
         },
     .divide = elements_of("n")}};

}  // namespace
}  // namespace parallax::ragged_sum
