// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "increment/lesson.hpp"

#include <algorithm>

#include "exercise/api.hpp"

namespace parallax {
namespace {

struct Increment {
  /// The numbers 0..n-1, the first and the last in their places and the others in reverse: a kernel
  /// that writes its index instead of adding to what was there is wrong.
  struct Start {
    std::int64_t n;
    KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
      return i == 0 || i == n - 1 ? i : n - 1 - i;
    }
  };

  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("n");
    const auto data = data::allocate<T>(space, "data", n);
    // The kernel works in place: what a row writes, it also reads, so the input is made anew before
    // the verified run and poisoned never. A kernel that does nothing is wrong everywhere.
    const Start start{n};
    const auto judge_of = [&](const auto& where, const auto& x) -> Judge {
      auto output = data::output(where, "data", x, 1);
      output.poison = [=] { data::fill(where, x, start); };
      output.shift = {};
      return {{output}, [=] {
                const auto h = data::on_host(x);
                auto verdict = check::elements(
                    "every element with its input plus 1: 1..n", n,
                    [&](std::int64_t i) { return h(i); },
                    [&](std::int64_t i) { return start(i) + 1; }, 0.0);
                verdict.result = {{"n", n}};
                if (n > 0) {
                  verdict.result.emplace_back("first", std::int64_t{h(0)});
                  verdict.result.emplace_back("last", std::int64_t{h(n - 1)});
                }
                return verdict;
              }};
    };
    const Judge judge = judge_of(space, data);
    const double count = static_cast<double>(n);
    const Work work{.bytes = 2 * sizeof(T) * count, .items = count, .traffic = Traffic::copy};
    const int team = team_size<Space>(parameters);
    // The course's block: a thread per element where Kokkos allows teams of 1024.
    const int block = team_size<Space>(parameters, std::min(1024, largest_team<Space>()));
    Plan plan;
    plan.rows = {{"range", "kernel", work, judge, [=] { kernels::increment_range(space, data); }},
                 with_teams(block, {"one_block", "kernel", work, judge,
                                    [=] { kernels::increment_one_block(space, block, data); }}),
                 with_teams(team, {"team_scratch", "kernel", work, judge,
                                   [=] { kernels::increment_team_scratch(space, team, data); }})};
    const data::RoundTrip<Space> trip(space);
    const auto here = trip.in_and_out(data);
    add_end_to_end(plan, {work.bytes / 2, work.bytes / 2}, work,
                   alike(judge, judge_of(Kokkos::DefaultHostExecutionSpace(), here)),
                   {{"range", trip.plain([=] { kernels::increment_range(space, data); })}});
    return plan;
  }
};

const Registration<Increment, std::int32_t> registration{
    {.name = "increment",
     .summary = "data[i] += 1, 32-bit integers",
     .teaches = "a kernel, its index and its range; what a launch costs",
     .parameters = {count("n", "elements", {.tiny = 2'051, .course = 1024, .large = 100'000'000}, 1,
                          2'000'000'000)},
     .variants = {{"range", "one index per element"},
                  {"one_block", "one team; the index is the thread's rank", Tier::lesson, true},
                  {"team_scratch", "a block per team, staged in scratch", Tier::lesson, true}},
     .memory = [](const Parameters& p, double scalar_bytes) {
       const double bytes = scalar_bytes * static_cast<double>(p.integer("n"));
       return Memory{.space = bytes, .host = 2 * bytes};
     }}};

}  // namespace
}  // namespace parallax
