// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "increment/lesson.hpp"

#include <algorithm>

#include "exercise/api.hpp"

namespace parallax::increment {
namespace {

/// The numbers 0..n-1, the first and the last in their places, the others in reverse and turned by
/// the seed: a kernel that writes what it expects instead of adding to what is there is wrong.
struct Start {
  std::int64_t n, turn;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    if (i == 0 || i == n - 1) return i;
    const std::int64_t down = n - 1 - i + turn;
    return down > n - 2 ? down - (n - 2) : down;
  }
};

/// How far the seed turns the n - 2 numbers between the first and the last.
std::int64_t turn_by(std::int64_t seed, std::int64_t n) {
  return n > 2 ? static_cast<std::int64_t>(static_cast<std::uint64_t>(seed) %
                                           static_cast<std::uint64_t>(n - 2))
               : 0;
}

struct Increment {
  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("n");
    const Start start{n, turn_by(parameters.seed(), n)};
    const auto data = outputs::array<T>(space, "data", n);
    const double count = parameters.number("n");
    Rows rows(space, {.bytes = 2 * sizeof(T) * count, .items = count, .traffic = Traffic::update},
              in_place("data", data, start), [=](const auto& found) {
                return check::each("every element with its input plus 1: 1..n", found,
                                   [=](std::int64_t i) { return start(i) + 1; })
                    .with({{"n", n}})
                    .with(data::ends(found));
              });
    rows.add("range", [=] { kernels::increment::range(space, data); });
    // The course's block: a thread per element where Kokkos allows teams of 1024.
    const int block = team_size<Space>(parameters, std::min(1024, largest_team<Space>()));
    rows.add("one_block", with_teams(block),
             [=] { kernels::increment::one_block(space, block, data); });
    const int team = team_size<Space>(parameters);
    rows.add("team_scratch", with_teams(team),
             [=] { kernels::increment::team_scratch(space, team, data); });
    rows.end_to_end().plain("range");
    return rows;
  }
};

const Registration<Increment, std::int32_t> registration{
    {.name = "increment",
     .summary = "data[i] += 1, 32-bit integers",
     .teaches = "a kernel, its index and its range; what a launch costs",
     .answer = "the elements go from {first} to {last}",
     .parameters = {count("n", "elements", {.tiny = 2'051, .course = 1024, .large = 100'000'000}, 1,
                          2'000'000'000)},
     .variants = {lesson("range", "one index per element"),
                  lesson_with_teams("one_block", "one team; the index is the thread's rank"),
                  lesson_with_teams("team_scratch", "a block per team, staged in scratch")},
     .memory = arrays_of("n", {.space = 1, .host = 2})}};

}  // namespace
}  // namespace parallax::increment
