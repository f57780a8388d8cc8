// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "tree_sum/lesson.hpp"
#include "tree_sum/tuned.hpp"

#include "exercise/api.hpp"
#include "random/fill.hpp"

namespace parallax {
namespace {

/// Counts up from `begin`: sums of few of them are exact.
template <class T>
struct Index {
  std::int64_t begin;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const { return static_cast<T>(begin + i); }
};

/// A running sum with what its roundings lost: Neumaier's compensated summation.
struct Compensated {
  double sum = 0, lost = 0;
  void operator+=(double x) {
    const double next = sum + x;
    lost += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
  }
  Compensated operator+(const Compensated& other) const {
    Compensated both = *this;
    both += other.sum;
    both.lost += other.lost;
    return both;
  }
};

/// The sum with an error of one rounding, from the compensated sums of blocks, and how large it
/// got.
struct Reference {
  double sum = 0;
  double magnitude = 0;  ///< the sum of absolute values

  template <class A>
  explicit Reference(const A& a) {
    const time_spent::Timer referring(time_spent::Part::references);
    const auto n = static_cast<std::int64_t>(a.extent(0));
    const auto at = [&](std::int64_t i) { return static_cast<double>(a(i)); };
    const Compensated own = check::sum<Compensated>(n, at);
    Compensated all;
    for (const auto& part : ranks::gathered({own.sum, own.lost})) {
      all += part[0];
      all.lost += part[1];
    }
    sum = all.sum + all.lost;
    magnitude = ranks::total(check::sum(n, [&](std::int64_t i) { return std::abs(at(i)); }));
  }
};

struct TreeSum {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const Share share = parameters.share("n");
    const auto n = share.count;
    const auto seed = static_cast<std::uint64_t>(parameters.seed());
    const bool normal = parameters.text("input") == "normal";
    const auto a = data::allocate<T>(space, "a", n);
    const auto halves = data::allocate<T>(space, "halves", (n + 1) / 2);
    const auto sum = data::allocate_scalar<T>(space, "sum");
    if (normal)
      random::fill_normal(space, a, T(0), T(1), seed, share.begin);
    else
      data::fill(space, a, Index<T>{share.begin});
    data::input(a);
    const Reference reference(data::on_host(a));

    const double own = static_cast<double>(n), count = static_cast<double>(share.total);
    const Work work{.bytes = sizeof(T) * own,
                    .flops = own,
                    .items = own,
                    .traffic = Traffic::read,
                    .messages = data::sum_of(sum)};
    // Each addition rounds the running sum by eps / 2 of it at most. The sum of normals grows as
    // the square root of their number, and the roundings add up as randomly: eps sqrt(n)
    // sqrt(length) for a chain of `length` additions. Numbers of one sign get the bound that always
    // holds, and whole ones that T can add up without rounding none.
    constexpr double eps = std::numeric_limits<T>::epsilon();
    const bool exact = !normal && eps / 2 * reference.magnitude <= 1;
    const auto tolerance = [&](double length) {
      if (exact) return 0.0;
      if (!normal) return eps / 2 * std::min(length, count) * reference.magnitude;
      return 4 * eps * std::sqrt(count * std::min(length, count));
    };
    const auto judge = [&](double length) -> Judge {
      const double allowed = tolerance(length);
      // A typical term: in no order can a sum tell whether one of the smallest was left out.
      return {{data::output(space, "sum", sum, 1)}, [=] {
                const double found = static_cast<double>(data::on_host(sum)());
                auto verdict = check::number("the sum with a compensated serial sum", found,
                                             reference.sum, allowed);
                verdict.result = {{"sum", found}, {"error", std::abs(found - reference.sum)}};
                return verdict;
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
    constexpr int wide = kernels::Streaming<Space, T>::team_size;
    Plan plan;
    plan.rows = {Row{.variant = "race",
                     .work = work,
                     .judge = judge(count),
                     .run = [=] { kernels::tree_sum_race(space, a, sum); },
                     .unavailable = hopeless,
                     .expected_to_fail = space.concurrency() > 1},
                 Row{.variant = "atomic",
                     .work = with_atomics(work, {Access::atomic, own, sizeof(T)}),
                     .judge = judge(count),
                     .run = [=] { kernels::tree_sum_atomic(space, a, sum); },
                     .unavailable = hopeless},
                 {"tree", "kernel", work, judge(levels),
                  [=] { kernels::tree_sum_tree(space, a, halves, sum); }},
                 with_teams(team, {"team_scratch", "kernel", work, judge(teams),
                                   [=] { kernels::tree_sum_team_scratch(space, team, a, sum); }}),
                 Row{.variant = "reduce",
                     .work = work,
                     .judge = judge(count),
                     .run = [=] { kernels::tree_sum_reduce(space, a, sum); },
                     .unavailable = hopeless},
                 with_teams(wide, {"team_tree", "kernel", work, judge(blocks),
                                   [=] { kernels::tree_sum_team_tree(space, a, sum); }}),
                 {"reduce_wide", "kernel", work, judge(blocks),
                  [=] { kernels::tree_sum_reduce_wide(space, a, sum); }}};
    for (auto& row : plan.rows) row.run = data::then_sum(space, sum, row.run);
    return plan;
  }
};

const Registration<TreeSum, float, double> registration{
    {.name = "tree_sum",
     .summary = "the sum of n numbers",
     .teaches = "races, atomics and contention; trees and barriers; why the order changes the sum",
     .parameters = {count("n", "elements",
                          {.tiny = 100'003, .course = 1'048'576, .large = 100'000'000}),
                    choice("input", "normal: normal(0,1); index: 0, 1, 2, ...",
                           {"normal", "index"})},
     .variants = {{"race", "updates lost: wrong on purpose"},
                  {"atomic", "one atomic addition per element"},
                  {"tree", "a launch for each halving"},
                  {"team_scratch", "a tree in scratch for each block, then one atomic per team",
                   Tier::lesson, true},
                  {"reduce", "parallel_reduce"},
                  {"team_tree", "packs in registers, a tree in scratch, one atomic per team",
                   Tier::tuned},
                  {"reduce_wide", "parallel_reduce over blocks of packs", Tier::tuned}},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           const double array = scalar_bytes * static_cast<double>(p.integer("n"));
           return Memory{.space = 1.5 * array, .host = array};
         },
     .divide = elements_of("n")}};

}  // namespace
}  // namespace parallax
