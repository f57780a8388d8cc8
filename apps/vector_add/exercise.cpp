// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "vector_add/tuned.hpp"

#include "exercise/api.hpp"
#include "vector_add/tuned_end_to_end.hpp"

namespace parallax::vector_add {
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

struct VectorAdd {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("n"), begin = parameters.share("n").begin;
    const bool ones = parameters.text("input") == "ones";
    const Input<T> a_at{parameters.seed(), begin, ones},
        b_at{data::next_seed(parameters.seed()), begin, ones};
    // begin: plan
    const auto a = inputs::array<T>(space, "a", n, a_at), b = inputs::array<T>(space, "b", n, b_at);
    const auto c = outputs::array<T>(space, "c", n);
    const double count = parameters.number("n");

    // One rounding for each element: equal on every processor, to the last bit.
    Rows rows(space, {.bytes = 3 * sizeof(T) * count, .flops = count, .items = count}, c,
              [=](const auto& found) {
                return check::each("every element with a serial sum", found,
                                   [=](std::int64_t i) { return a_at(i) + b_at(i); })
                    .with(data::sum_and_ends(found));
              });
    const int team = team_size<Space>(parameters);
    rows.add("range", [=] { kernels::vector_add::range(space, a, b, c); });
    rows.add("team", with_teams(team), [=] { kernels::vector_add::team(space, team, a, b, c); });
    rows.add("team_scratch", with_teams(team),
             [=] { kernels::vector_add::team_scratch(space, team, a, b, c); });
    rows.add("wide", [=] { kernels::vector_add::wide(space, a, b, c); });
    // end: plan

    auto trip = rows.end_to_end(a, b);
    // All three arrays at once, in pieces.
    std::function<void()> overlapped;
    if constexpr (trip.trip.away)
      overlapped = [=, staging = std::make_shared<kernels::Staging<Space>>(space, host_copy()),
                    in = trip.in, out = trip.out] {
        kernels::vector_add::end_to_end(space, *staging, std::get<0>(in), std::get<1>(in), out);
      };
    trip.plain("range").add("wide", overlapped);
    return rows;
  }
};

const Registration<VectorAdd, float, double> registration{
    {.name = "vector_add",
     .summary = "c[i] = a[i] + b[i]",
     .teaches = "the first kernel; bandwidth as the limit; wide loads; what a transfer costs",
     .answer = "the sums add up to {sum}; the first is {first}, the last {last}",
     .parameters = {count("n", "elements",
                          {.tiny = 100'003, .course = 100'000'000, .large = 1'000'000'000}),
                    choice("input", "indexed: depends on index and seed; ones: 2 everywhere",
                           {"indexed", "ones"})},
     .variants = {lesson("range", "one index per element"),
                  lesson_with_teams("team", "a league of teams, a block of elements each"),
                  lesson_with_teams("team_scratch", "the block staged in scratch first"),
                  tuned("wide", "16 bytes per GPU thread, a vectorised run per index on hosts")},
     .memory = arrays_of("n", {.space = 3, .host = 4, .staging = true}),
     .divide = elements_of("n")}};

}  // namespace
}  // namespace parallax::vector_add
