// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "add_one/tuned.hpp"

#include <memory>
#include <optional>

#include "exercise/api.hpp"

namespace parallax::add_one {
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
    // In place: timed runs go on adding, which costs the same whatever the numbers are.
    const double size = parameters.number("n");
    const auto sum_before = std::make_shared<std::optional<double>>();  // for all rows
    Rows rows(
        space,
        {.bytes = 2 * sizeof(T) * size, .flops = size, .items = size, .traffic = Traffic::update},
        in_place("a", a, before), [=](const auto& found) {
          const auto sum = [&](const auto& x) {
            return check::sum(n, [&](std::int64_t i) { return static_cast<double>(x(i)); });
          };
          if (!*sum_before) *sum_before = sum(before);
          return check::each("every element with its input plus 1", found,
                             [=](std::int64_t i) { return static_cast<T>(before(i) + T(1)); })
              .with({{"sum_before", **sum_before}, {"sum_after", sum(found)}});
        });
    const int team = team_size<Space>(parameters);
    rows.add("range", [=] { kernels::add_one::range(space, a); });
    rows.add("team_scratch", with_teams(team),
             [=] { kernels::add_one::team_scratch(space, team, a); });
    rows.add("wide", [=] { kernels::add_one::wide(space, a); });
    rows.end_to_end().plain("range").staged("wide");
    return rows;
  }
};

const Registration<AddOne, double, float> registration{
    {.name = "add_one",
     .summary = "a[i] += 1, uniform reals",
     .teaches = "bandwidth as the limit; working in place; against what the transfer costs",
     .answer = "the elements added up to {sum_before}, and add up to {sum_after} now",
     .parameters = {count("n", "elements",
                          {.tiny = 100'003, .course = 100'000'000, .large = 100'000'000})},
     .variants = {lesson("range", "one index per element"),
                  lesson_with_teams("team_scratch", "a block per team, staged in scratch"),
                  tuned("wide", "16 bytes per GPU thread, plain runs on a CPU")},
     .memory = arrays_of("n", {.space = 1, .host = 2, .staging = true})}};

}  // namespace
}  // namespace parallax::add_one
