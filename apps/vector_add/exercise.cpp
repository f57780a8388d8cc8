// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "vector_add/tuned.hpp"

#include "exercise/api.hpp"
#include "vector_add/tuned_end_to_end.hpp"

namespace parallax {
namespace {

/// Element i of a (which = 0) or b (which = 1), of those from `begin` on.
template <class T>
struct Input {
  std::int64_t seed, begin;
  bool ones;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const {
    return ones ? T(1) : data::uniform_at<T>(seed, begin + i);
  }
};

/// One rounding for each element: the sum of two floats is the same on every processor, to the last
/// bit.
template <class T, class C>
Verdict check_sums(const C& c, const Input<T>& a, const Input<T>& b) {
  const auto h = data::on_host(c);
  const auto n = static_cast<std::int64_t>(h.extent(0));
  auto verdict = check::elements(
      "every element with a serial sum", n, [&](std::int64_t i) { return h(i); },
      [&](std::int64_t i) { return a(i) + b(i); }, 0.0);
  verdict.result = data::sum_and_ends_over_ranks(h);
  return verdict;
}

struct VectorAdd {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("n"), begin = parameters.share("n").begin;
    const bool ones = parameters.text("input") == "ones";
    const Input<T> a_at{parameters.seed(), begin, ones},
        b_at{data::next_seed(parameters.seed()), begin, ones};
    const auto a = data::allocate<T>(space, "a", n);
    const auto b = data::allocate<T>(space, "b", n);
    const auto c = data::allocate<T>(space, "c", n);
    data::fill(space, a, a_at);
    data::fill(space, b, b_at);

    const Judge judge{{data::output(space, "c", c)}, [=] { return check_sums(c, a_at, b_at); }};
    const double count = static_cast<double>(n);
    const Work work{.bytes = 3 * sizeof(T) * count, .flops = count, .items = count};
    const int team = team_size<Space>(parameters);
    Plan plan;
    plan.rows = {
        {"range", "kernel", work, judge, [=] { kernels::vector_add_range(space, a, b, c); }},
        with_teams(team, {"team", "kernel", work, judge,
                          [=] { kernels::vector_add_team(space, team, a, b, c); }}),
        with_teams(team, {"team_scratch", "kernel", work, judge,
                          [=] { kernels::vector_add_team_scratch(space, team, a, b, c); }}),
        {"wide", "kernel", work, judge, [=] { kernels::vector_add_wide(space, a, b, c); }},
    };

    const data::RoundTrip<Space> trip(space);
    const auto host_a = trip.in(a), host_b = trip.in(b), host_c = trip.out(c);
    // All three at once, in pieces.
    std::function<void()> overlapped;
    if constexpr (!kernels::is_host_space<Space>)
      overlapped = [=, staging = std::make_shared<kernels::Staging<Space>>(space)] {
        kernels::vector_add_end_to_end(space, *staging, host_a, host_b, host_c);
      };
    add_end_to_end(plan, {2 * sizeof(T) * count, sizeof(T) * count}, work,
                   alike(judge, {{data::output(Kokkos::DefaultHostExecutionSpace(), "c", host_c)},
                                 [=] { return check_sums(host_c, a_at, b_at); }}),
                   {{"range", trip.plain([=] { kernels::vector_add_range(space, a, b, c); })},
                    {"wide", overlapped}});
    return plan;
  }
};

const Registration<VectorAdd, float, double> registration{
    {.name = "vector_add",
     .summary = "c[i] = a[i] + b[i]",
     .teaches = "the first kernel; bandwidth as the limit; wide loads; what a transfer costs",
     .parameters = {count("n", "elements",
                          {.tiny = 100'003, .course = 100'000'000, .large = 1'000'000'000}),
                    choice("input", "indexed: depends on index and seed; ones: 2 everywhere",
                           {"indexed", "ones"})},
     .variants = {{"range", "one index per element"},
                  {"team", "a league of teams, a block of elements each", Tier::lesson, true},
                  {"team_scratch", "the block staged in scratch first", Tier::lesson, true},
                  {"wide", "16 bytes per GPU thread, a vectorised run per index on hosts",
                   Tier::tuned}},
     .memory =
         [](const Parameters& p, double scalar_bytes) {
           const double arrays = 3 * scalar_bytes * static_cast<double>(p.integer("n"));
           return Memory{
               .space = arrays, .host = arrays * 4 / 3, .staging = kernels::staging_bytes};
         },
     .divide = elements_of("n")}};

}  // namespace
}  // namespace parallax
