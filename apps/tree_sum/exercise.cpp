// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "tree_sum/tuned.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "exercise/api.hpp"
#include "random/fill.hpp"
#include "tree_sum/library.hpp"
#include "tree_sum/reference.hpp"

namespace parallax::tree_sum {
namespace {

/// Counts up from `begin`: sums of few of them are exact.
template <class T>
struct Index {
  std::int64_t begin;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const { return static_cast<T>(begin + i); }
};

struct TreeSum {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const Share share = parameters.share("n");
    const auto n = share.count;
    const bool normal = parameters.text("input") == "normal";
    const auto a = data::allocate<T>(space, "a", n);
    const auto halves = outputs::array<T>(space, "halves", (n + 1) / 2);
    const auto sum = outputs::scalar<T>(space, "sum");
    if (normal)
      random::fill_normal(space, a, T(0), T(1), static_cast<std::uint64_t>(parameters.seed()),
                          share.begin);
    else
      data::fill(space, a, Index<T>{share.begin});
    data::input(a);
    const tree_sum::Reference reference(data::on_host(a));

    const double own = static_cast<double>(n), count = static_cast<double>(share.total);
    // Each addition rounds the running sum by eps / 2 of it at most. The sum of normals grows as
    // the square root of their number, and the roundings add up as randomly: eps sqrt(n)
    // sqrt(length) for a chain of `length` additions. Numbers of one sign get the bound that always
    // holds, and whole ones that T can add up without rounding none.
    constexpr double eps = std::numeric_limits<T>::epsilon();
    const bool exact = !normal && eps / 2 * reference.magnitude <= 1;
    const auto judge = [&](double length) -> Judge {
      const double chain = std::min(length, count);
      const double allowed = exact    ? 0
                             : normal ? 4 * eps * std::sqrt(count * chain)
                                      : eps / 2 * chain * reference.magnitude;
      // A typical term: in no order can a sum tell whether one of the smallest was left out.
      return {{data::output(space, "sum", sum, 1)}, [=] {
                const double found = static_cast<double>(data::on_host(sum)());
                return check::number("the sum with a compensated serial sum", found, reference.sum,
                                     allowed)
                    .with({{"sum", found}, {"error", std::abs(found - reference.sum)}});
              }};
    };
    // The longest chain of additions. Where one thread does all (Serial), or all add to one
    // address, it is the array. A tree has a level for each bit of n; `team_scratch`'s ends in
    // a chain of teams. The tuned variants' blocks are at most 65536, or shared by a few threads.
    const double levels = 64, teams = levels + count / 1024, blocks = 65536;
    // So long a chain may be wrong by the whole sum, and its check would check nothing.
    const std::string hopeless =
        !normal && eps / 2 * count >= 1
            ? "a chain of so many additions of one sign may be wrong by the whole sum"
            : "";
    const int team = team_size<Space>(parameters);
    RowList rows({.bytes = sizeof(T) * own, .flops = own, .items = own, .traffic = Traffic::read},
                 judge(count));
    rows.sum_over_ranks(space, sum);
    auto& race = rows.add("race", [=] { kernels::tree_sum::race(space, a, sum); });
    race.unavailable = hopeless;
    race.expected_to_fail = space.concurrency() > 1;
    auto& atomic = rows.add("atomic", [=] { kernels::tree_sum::atomic(space, a, sum); });
    atomic.unavailable = hopeless;
    atomic.work = with_atomics(rows.work, {Access::atomic, own, sizeof(T)});
    rows.judge = judge(levels);
    rows.add("tree", [=] { kernels::tree_sum::tree(space, a, halves, sum); });
    rows.judge = judge(teams);
    rows.add("team_scratch", with_teams(team),
             [=] { kernels::tree_sum::team_scratch(space, team, a, sum); });
    rows.judge = judge(count);
    rows.add("reduce", [=] { kernels::tree_sum::reduce(space, a, sum); }).unavailable = hopeless;
    rows.judge = judge(blocks);
    rows.add("team_tree", with_teams(kernels::Streaming<Space, T>::team_size),
             [=] { kernels::tree_sum::team_tree(space, a, sum); });
    rows.add("reduce_wide", [=] { kernels::tree_sum::reduce_wide(space, a, sum); });
    rows.add("library", bindings::library_sum(space, a, sum)).unavailable =
        vendor::refusal<Space>(n);
    return rows;
  }
};

const Registration<TreeSum, float, double> registration{
    {.name = "tree_sum",
     .summary = "the sum of n numbers",
     .teaches = "races, atomics and contention; trees and barriers; why the order changes the sum",
     .answer = "the sum is {sum}, wrong by {error}",
     .parameters = {count("n", "elements",
                          {.tiny = 100'003, .course = 1'048'576, .large = 100'000'000}),
                    choice("input", "normal: normal(0,1); index: 0, 1, 2, ...",
                           {"normal", "index"})},
     .variants = {lesson("race", "updates lost: wrong on purpose"),
                  lesson("atomic", "one atomic addition per element"),
                  lesson("tree", "a launch for each halving"),
                  lesson_with_teams("team_scratch",
                                    "a tree in scratch for each block, then one atomic per team"),
                  lesson("reduce", "parallel_reduce"),
                  tuned("team_tree", "packs in registers, a tree in scratch, one atomic per team"),
                  tuned("reduce_wide", "parallel_reduce over blocks of packs"),
                  library("library", "the vendor's sum, its scratch memory made once")},
     .memory = arrays_of("n", {.space = 1.5, .host = 1}),
     .divide = elements_of("n")}};

}  // namespace
}  // namespace parallax::tree_sum
