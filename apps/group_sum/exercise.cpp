// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// units: 2
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "exercise/api.hpp"
#include "group_sum/input.hpp"
#include "group_sum/library.hpp"
#include "group_sum/ranks.hpp"
#include "group_sum/reference.hpp"
#include "group_sum/tuned.hpp"

namespace parallax::group_sum {
namespace {

struct GroupSum {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    using namespace kernels::group_sum;
    const Share share = parameters.share("n");
    const auto n = share.count;
    const bool sorted = parameters.text("order") == "sorted";
    auto keys = sorted_keys(space, parameters);
    if (!sorted) keys.key = shuffled(space, keys.key, parameters.seed());
    const auto first = keys.first, groups = keys.groups;
    const Cuts cuts(first, first + groups - 1);

    auto rows_of = rows_of_groups(keys);
    cuts.join(rows_of, 1);
    const auto most = rows_of.empty() ? 0 : *std::max_element(rows_of.begin(), rows_of.end());
    const double step =
        step_for<T>(static_cast<std::int64_t>(ranks::largest(static_cast<double>(most))));
    const auto with_rows =
        std::count_if(rows_of.begin() + (groups > 0 ? counted_before() : 0), rows_of.end(),
                      [](std::int64_t count) { return count > 0; });
    const auto groups_with_rows =
        static_cast<std::int64_t>(ranks::total(static_cast<double>(with_rows)));

    Table<Space, T> table{keys.key, {}};
    for (int c = 0; c < columns; ++c)
      table.value[c] = inputs::array<T>(
          space, "column", n,
          Column{static_cast<std::uint64_t>(parameters.seed()), share.begin, c, step});
    const auto expected =
        std::make_shared<std::vector<double>>(sums_of_groups(table, first, groups));
    cuts.join(*expected, columns);

    const auto sums = data::allocate_matrix<Sums<Space, T>>(space, "sums", groups, columns);
    using Segments = Workspace<Space, T>;
    const Segments workspace(space, Segments::shares_of(space, n));
    const auto buffers = std::make_shared<SortBuffers<Space, T>>(space, n);
    const double count = parameters.number("n"), area = 4 * sizeof(T) * static_cast<double>(groups);
    Rows rows(space,
              {.bytes = (8 + 4 * sizeof(T)) * count + area,
               .flops = 4 * count,
               .items = count,
               .traffic = Traffic::copy,
               .messages = cuts.messages<T>(columns)},
              written("sums", sums, step), [=](const auto& found) {
                return check::each("every sum with a serial sum, exactly", found, *expected)
                    .with({{"groups", groups_with_rows}})
                    .with(summary(found));
              });
    // A coarser step would leave nothing of columns that deviate by 10.
    const std::string too_many =
        step <= 8 ? "" : "a group has too many rows for exact sums in this precision";
    const std::string in_order = sorted ? too_many : "keys must be sorted: order=sorted";
    const int team = team_size<Space>(parameters, 256), warp = team_size<Space>(parameters, 32);
    auto& atomics = rows.add("atomic", [=] { atomic(space, table, first, sums); });
    atomics.work = with_atomics(rows.work, {Access::atomic_in_order, 4 * count, area});
    // Rows in any order jump to another group with the first of their four additions.
    if (!sorted) atomics.work = with_atomics(atomics.work, {Access::atomic, count, area});
    rows.add("group_per_thread", [=] { group_per_thread(space, table, first, sums); });
    rows.add("group_per_team", with_teams(warp),
             [=] { group_per_team(space, warp, table, first, sums); });
    rows.add("team_scratch", with_teams(team),
             [=] { team_scratch(space, team, table, first, sums); });
    rows.add("sorted_segments", with_teams(SortedSegments<Space, T, Tuning<Space>>::threads),
             [=] { sorted_segments(space, table, first, sums, workspace); });
    rows.add("sort_then_reduce",
             [=] { sort_then_reduce(space, table, first, sums, *buffers, workspace); });
    rows.add("library", bindings::library_group_sum(space, table, first, sums));
    for (auto& row : rows.all()) row.unavailable = too_many;
    for (const auto* variant : {"group_per_thread", "group_per_team", "sorted_segments", "library"})
      rows.of(variant).unavailable = in_order;
    if (const auto why = vendor::refusal<Space>(n); !why.empty())
      rows.of("library").unavailable = why;
    if (ranks::several() && groups > 0)
      for (auto& row : rows.all()) row.run = cuts.joined<Space, T>(space, sums, n > 0, row.run);
    return rows;
  }
};

const Registration<GroupSum, double, float> registration{
    {.name = "group_sum",
     .summary = "sums of four columns by key",
     .teaches = "group-by; segmented sums; sorting against atomics",
     .answer = "{groups} groups have rows",
     .parameters = {count("n", "rows", {.tiny = 5003, .course = 1'000'000, .large = 100'000'000}, 1,
                          2'000'000'000),
                    real("mean", "mean step between keys (Poisson)", 0.1, 0, 10),
                    choice("order", "of the rows", {"sorted", "shuffled"})},
     .variants = {lesson("atomic", "every row adds to its group"),
                  lesson("group_per_thread", "the thread of a group's first row adds it up"),
                  lesson_with_teams("group_per_team", "a team per group"),
                  lesson_with_teams("team_scratch",
                                    "a team collects its rows' sums in scratch memory"),
                  tuned("sorted_segments", "rows cut evenly, groups joined at the cuts"),
                  tuned("sort_then_reduce", "rows in any order are sorted by key first"),
                  library("library", "the vendor's reduction by key, once for each column")},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           const double n = p.number("n"), groups = n * p.real("mean") + 1;
           // The reference has four doubles and a count for each group.
           const double results = (4 * scalar_bytes + 40) * groups;
           const double of_library = (4 * scalar_bytes + 8) * std::min(n, groups);
           return Memory{.space = n * (56 + 8 * scalar_bytes) + results + of_library,
                         .host = n * (8 + 5 * scalar_bytes) + results};
         },
     .validate =
         [](const Parameters& p) {
           if (p.number("n") * p.real("mean") > 2e9)
             throw UsageError("n=" + p.text("n") + " with mean=" + p.text("mean") +
                              " makes more than 2000000000 groups");
         },
     .divide =
         [](Parameters& p) {
           if (p.text("order") != "sorted")
             throw UsageError(
                 "group_sum on several ranks wants order=sorted: a shuffled table has "
                 "rows of every group on every rank");
           elements_of("n")(p);
         }}};

}  // namespace
}  // namespace parallax::group_sum
