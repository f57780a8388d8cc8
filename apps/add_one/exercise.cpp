// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "add_one/tuned.hpp"

#include <memory>
#include <optional>

#include "exercise/api.hpp"

namespace parallax {
namespace {

template <class T>
struct Uniform {
  std::int64_t seed;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const { return data::uniform_at<T>(seed, i); }
};

struct AddOne {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("n");
    const Uniform<T> before{parameters.seed()};
    const auto a = data::allocate<T>(space, "a", n);
    // In place: the input is made anew before the verified run. Timed runs go on adding, which
    // costs the same whatever the numbers are.
    const auto sum_before = std::make_shared<std::optional<double>>();  // for all rows
    const auto judge_of = [&](const auto& where, const auto& found) -> Judge {
      auto output = data::output(where, "a", found, 1);
      output.poison = [=] { data::fill(where, found, before); };
      output.shift = {};
      return {{output}, [=] {
                const auto h = data::on_host(found);
                auto verdict = check::elements(
                    "every element with its input plus 1", n, [&](std::int64_t i) { return h(i); },
                    [&](std::int64_t i) { return static_cast<T>(before(i) + T(1)); }, 0.0);
                const auto sum = [&](const auto& x) {
                  return check::sum(n, [&](std::int64_t i) { return static_cast<double>(x(i)); });
                };
                if (!*sum_before) *sum_before = sum(before);
                verdict.result = {{"sum_before", **sum_before}, {"sum_after", sum(h)}};
                return verdict;
              }};
    };
    const Judge judge = judge_of(space, a);
    const double count = static_cast<double>(n);
    const Work work{
        .bytes = 2 * sizeof(T) * count, .flops = count, .items = count, .traffic = Traffic::copy};
    const int team = team_size<Space>(parameters);
    Plan plan;
    plan.rows = {{"range", "kernel", work, judge, [=] { kernels::add_one_range(space, a); }},
                 with_teams(team, {"team_scratch", "kernel", work, judge,
                                   [=] { kernels::add_one_team_scratch(space, team, a); }}),
                 {"wide", "kernel", work, judge, [=] { kernels::add_one_wide(space, a); }}};
    const data::RoundTrip<Space> trip(space);
    const auto here = trip.in_and_out(a);
    add_end_to_end(plan, {work.bytes / 2, work.bytes / 2}, work,
                   alike(judge, judge_of(Kokkos::DefaultHostExecutionSpace(), here)),
                   {{"range", trip.plain([=] { kernels::add_one_range(space, a); })},
                    {"wide", trip.staged([=] { kernels::add_one_wide(space, a); })}});
    return plan;
  }
};

const Registration<AddOne, double, float> registration{
    {.name = "add_one",
     .summary = "a[i] += 1, uniform reals",
     .teaches = "bandwidth as the limit; working in place; against what the transfer costs",
     .parameters = {count("n", "elements",
                          {.tiny = 100'003, .course = 100'000'000, .large = 100'000'000})},
     .variants = {{"range", "one index per element"},
                  {"team_scratch", "a block per team, staged in scratch", Tier::lesson, true},
                  {"wide", "16 bytes per GPU thread, plain runs on a CPU", Tier::tuned}},
     .memory = [](const Parameters& p, double scalar_bytes) {
       const double bytes = scalar_bytes * static_cast<double>(p.integer("n"));
       return Memory{.space = bytes, .host = 2 * bytes, .staging = kernels::staging_bytes};
     }}};

}  // namespace
}  // namespace parallax
