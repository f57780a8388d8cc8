// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "tree_sum/tuned.hpp"

#include "harness/check.hpp"
#include "harness/data.hpp"
#include "harness/registration.hpp"
#include "random/fill.hpp"

namespace parallax {
namespace {

/// Counts up from 0: sums of few of them are exact.
template <class T>
struct Index {
  KOKKOS_FUNCTION T operator()(std::int64_t i) const { return static_cast<T>(i); }
};

/// The sum with an error of one rounding, by Neumaier's compensated summation, and how large it
/// got.
struct Reference {
  double sum = 0;
  double magnitude = 0;  ///< the sum of absolute values

  template <class A>
  explicit Reference(const A& a) {
    double lost = 0;
    for (std::size_t i = 0; i < a.extent(0); ++i) {
      const double x = static_cast<double>(a(i)), next = sum + x;
      lost += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
      sum = next;
      magnitude += std::abs(x);
    }
    sum += lost;
  }
};

struct TreeSum {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("n");
    const bool normal = parameters.text("input") == "normal";
    const auto a = data::allocate<T>(space, "a", n);
    const auto work = data::allocate<T>(space, "work", (n + 1) / 2);
    const data::Scalar<Space, T> sum("sum");
    if (normal) {
      random::fill_normal(space, a, T(0), T(1), static_cast<std::uint64_t>(parameters.seed()));
    } else {
      data::fill(space, a, Index<T>{});
    }
    const Reference reference(data::on_host(a));

    // Each addition rounds the running sum by eps / 2 of it at most. That of normals grows as the
    // square root of their number, and the roundings add up as randomly: eps sqrt(n) sqrt(length)
    // for a chain of `length` additions. Numbers of one sign get the bound that always holds.
    constexpr double eps = std::numeric_limits<T>::epsilon();
    const auto tolerance = [&](double length) {
      const double count = static_cast<double>(n);
      if (!normal) return eps / 2 * std::min(length, count) * reference.magnitude;
      return 4 * eps * std::sqrt(count * std::min(length, count));
    };
    const auto row = [&](const char* variant, double length, const auto& kernel) {
      const double allowed = tolerance(length);
      Row r{.variant = variant, .work = {}, .judge = {}, .run = {}};
      r.work = {.bytes = sizeof(T) * static_cast<double>(n),
                .flops = static_cast<double>(n),
                .items = static_cast<double>(n),
                .traffic = Traffic::read};
      // A typical term: in no order can a sum tell whether one of the smallest was left out.
      r.judge = {{data::output(space, "sum", sum, 1)}, [=] {
                   const double found = static_cast<double>(data::on_host(sum)());
                   auto verdict = check::number("the sum with a compensated serial sum", found,
                                                reference.sum, allowed);
                   verdict.result = {{"sum", found}, {"error", std::abs(found - reference.sum)}};
                   return verdict;
                 }};
      r.run = [=] { kernel(space, a, sum); };
      return r;
    };
    constexpr double any = 1e300;     // the chain may be as long as the array
    constexpr double blocks = 65536;  // or as the number of blocks, which a few threads share
    Plan plan;
    plan.rows = {
        row("race", any, [](const auto&... x) { kernels::tree_sum_race(x...); }),
        row("atomic", any, [](const auto&... x) { kernels::tree_sum_atomic(x...); }),
        row("tree", 64,
            [work](const auto& s, const auto& in, const auto& out) {
              kernels::tree_sum_tree(s, in, work, out);
            }),
        row("team_tree", blocks, [](const auto&... x) { kernels::tree_sum_team_tree(x...); }),
        row("reduce", blocks, [](const auto&... x) { kernels::tree_sum_reduce(x...); })};
    plan.rows[0].expected_to_fail = space.concurrency() > 1;
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
                  {"team_tree", "blocks, then a tree in scratch, then one atomic per team"},
                  {"reduce", "blocks, then parallel_reduce"}},
     .memory = [](const Parameters& p, double scalar_bytes) {
       const double array = scalar_bytes * static_cast<double>(p.integer("n"));
       return Memory{.space = 1.5 * array, .host = array};
     }}};

}  // namespace
}  // namespace parallax
