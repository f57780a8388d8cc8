// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "zero_out/tuned.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "exercise/api.hpp"

namespace parallax {
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
    const auto all = data::allocate<T>(space, "data", n + guard);
    const auto data = Kokkos::subview(all, std::pair<std::int64_t, std::int64_t>(0, n));
    // The normals are the poison: a kernel that does nothing leaves them.
    auto output = data::output(space, "data", all);
    output.poison = [=] { data::fill(space, all, Normals<T>{parameters.seed(), n}); };
    output.shift = {};
    output.poison();

    const Judge judge{{output}, [=] {
                        const auto h = data::on_host(all);
                        auto verdict = check::elements(
                            "every element with 0, and those behind the end with what they were",
                            n + guard,  // -0 is no 0 here: data[i] *= 0 would make it
                            [&](std::int64_t i) { return std::signbit(h(i)) ? T(-1) : h(i); },
                            [&](std::int64_t i) { return i < n ? 0 : 1; }, 0.0);
                        const auto left =
                            check::sum(n, [&](std::int64_t i) { return std::int64_t{h(i) != 0}; });
                        std::int64_t touched = 0;
                        for (std::int64_t i = n; i < n + guard; ++i) touched += h(i) != 1 ? 1 : 0;
                        verdict.result = {{"not_zero", left}, {"touched_beyond", touched}};
                        return verdict;
                      }};
    const double count = static_cast<double>(n);
    const Work work{.bytes = sizeof(T) * count, .items = count, .traffic = Traffic::write};
    const int team = team_size<Space>(parameters);
    Row thread_each{"team", "kernel", work, judge,
                    [=] { kernels::zero_out_team(space, team, data); }};
    if (n / team >= std::numeric_limits<int>::max())
      thread_each.unavailable = "it needs more teams than Kokkos counts";
    Plan plan;
    plan.rows = {
        {"range", "kernel", work, judge, [=] { kernels::zero_out_range(space, data); }},
        {"deep_copy", "kernel", work, judge, [=] { kernels::zero_out_deep_copy(space, data); }},
        with_teams(team, thread_each),
        with_teams(team, {"team_scratch", "kernel", work, judge,
                          [=] { kernels::zero_out_team_scratch(space, team, data); }}),
        {"wide", "kernel", work, judge, [=] { kernels::zero_out_wide(space, data); }},
    };
    return plan;
  }
};

const Registration<ZeroOut, double, float> registration{
    {.name = "zero_out",
     .summary = "data[i] = 0",
     .teaches = "writing only; the library's fill; nothing beyond the end",
     .parameters = {count("n", "elements",
                          {.tiny = 5 * 1024 + 9, .course = 5 * 1024, .large = 100'000'000})},
     .variants = {{"range", "one index per element"},
                  {"deep_copy", "Kokkos's own fill", Tier::library},
                  {"team", "one thread per element, in blocks of any size", Tier::lesson, true},
                  {"team_scratch", "a block per team, staged in scratch", Tier::lesson, true},
                  {"wide", "16 bytes per GPU thread, past the cache on a CPU", Tier::tuned}},
     .memory = [](const Parameters& p, double scalar_bytes) {
       const double bytes = scalar_bytes * static_cast<double>(p.integer("n") + ZeroOut::guard);
       return Memory{.space = bytes, .host = bytes};
     }}};

}  // namespace
}  // namespace parallax
