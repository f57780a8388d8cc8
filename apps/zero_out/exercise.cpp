// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "zero_out/tuned.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "exercise/api.hpp"

namespace parallax::zero_out {
namespace {

/// Standard normals from two uniforms (Box and Muller), and behind element n a guard of ones that
/// no kernel may touch.
template <class T>
struct Normals {
  std::int64_t seed, n;
  KOKKOS_FUNCTION T operator()(std::int64_t i) const {
    if (i >= n) return T(1);
    const double u = 1 - data::uniform_at<double>(seed, i);  // above 0, for the logarithm
    const double v = data::uniform_at<double>(data::next_seed(seed), i);
    return static_cast<T>(Kokkos::sqrt(-2 * Kokkos::log(u)) * Kokkos::cos(6.283185307179586 * v));
  }
};

struct ZeroOut {
  static constexpr std::int64_t guard = 1024;  ///< a team's worth of elements beyond the end

  template <class Space, class T>
  static Plan plan(const Space& space, const Parameters& parameters) {
    const auto n = parameters.integer("n");
    const Normals<T> normals{parameters.seed(), n};
    const auto all = inputs::array<T>(space, "data", n + guard, normals);
    const auto data = Kokkos::subview(all, std::pair<std::int64_t, std::int64_t>(0, n));
    const double count = parameters.number("n");
    // A kernel that does nothing leaves the normals.
    Rows rows(
        space, {.bytes = sizeof(T) * count, .items = count, .traffic = Traffic::write},
        in_place("data", all, normals, 0), [=](const auto& found) {
          const auto left =
              check::sum(n, [&](std::int64_t i) { return std::int64_t{found(i) != 0}; });
          const auto touched =
              check::sum(guard, [&](std::int64_t i) { return std::int64_t{found(n + i) != 1}; });
          return check::elements(
                     "every element with 0, and those behind the end with what they were",
                     n + guard,  // -0 is no 0 here: data[i] *= 0 would make it
                     [&](std::int64_t i) { return std::signbit(found(i)) ? T(-1) : found(i); },
                     [=](std::int64_t i) { return i < n ? 0 : 1; }, 0.0)
              .with({{"not_zero", left}, {"touched_beyond", touched}});
        });
    const int team = team_size<Space>(parameters);
    rows.add("range", [=] { kernels::zero_out::range(space, data); });
    rows.add("deep_copy", [=] { kernels::zero_out::deep_copy(space, data); });
    auto& thread_each =
        rows.add("team", with_teams(team), [=] { kernels::zero_out::team(space, team, data); });
    if (n / team >= std::numeric_limits<int>::max())
      thread_each.unavailable = "it needs more teams than Kokkos counts";
    rows.add("team_scratch", with_teams(team),
             [=] { kernels::zero_out::team_scratch(space, team, data); });
    rows.add("wide", [=] { kernels::zero_out::wide(space, data); });
    return rows;
  }
};

const Registration<ZeroOut, double, float> registration{
    {.name = "zero_out",
     .summary = "data[i] = 0",
     .teaches = "writing only; the library's fill; nothing beyond the end",
     .answer = "{not_zero} elements are not zero; {touched_beyond} beyond the array were written",
     .parameters = {count("n", "elements",
                          {.tiny = 5 * 1024 + 9, .course = 5 * 1024, .large = 100'000'000})},
     .variants = {lesson("range", "one index per element"),
                  library("deep_copy", "Kokkos's own fill"),
                  lesson_with_teams("team", "one thread per element, in blocks of any size"),
                  lesson_with_teams("team_scratch", "a block per team, staged in scratch"),
                  tuned("wide", "32 bytes per GPU thread, past the cache on a CPU")},
     .memory = [](const Parameters& p, double scalar_bytes) {
       const double bytes = scalar_bytes * static_cast<double>(p.integer("n") + ZeroOut::guard);
       return Memory{.space = bytes, .host = bytes};
     }}};

}  // namespace
}  // namespace parallax::zero_out
