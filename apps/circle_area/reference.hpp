// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// circle_area: serial counts, and what is judged by statistics.
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "exercise/api.hpp"

namespace parallax::circle_area {

/// The number of trials that a serial reference does in about a second. Larger counts are judged by
/// statistics, and by this many trials of the same kernel.
inline constexpr std::int64_t most_exact = std::int64_t{1} << 25;

/// What a serial run finds, and the states that it leaves.
struct Known {
  std::int64_t hits = 0;
  std::vector<reference::Xoroshiro> states{};
};

/// The serial reference of `xoroshiro`: stream after stream, the trials dealt to them.
inline Known hits_xoroshiro(std::vector<reference::Xoroshiro> streams, std::int64_t trials) {
  const time_spent::Timer referring(time_spent::Part::references);
  const auto threads = static_cast<std::int64_t>(streams.size());
  constexpr std::int64_t parts = 256;  // of the streams, shared by the host's cores
  std::vector<std::int64_t> hits(parts);
  check::on_all_cores(parts, [&](std::int64_t p) {
    std::int64_t count = 0;
    for (std::int64_t i = threads * p / parts; i < threads * (p + 1) / parts; ++i) {
      auto& stream = streams[static_cast<std::size_t>(i)];
      const std::int64_t mine = trials / threads + (i < trials % threads ? 1 : 0);
      for (std::int64_t t = 0; t < mine; ++t) {
        const double x = stream.uniform() * 2.0 - 1.0;
        const double y = stream.uniform() * 2.0 - 1.0;
        if (x * x + y * y < 1) ++count;
      }
    }
    hits[static_cast<std::size_t>(p)] = count;
  });
  return {std::accumulate(hits.begin(), hits.end(), std::int64_t{0}), std::move(streams)};
}

/// Is a dart of `philox` a hit? Its coordinates have 32 bits, in [-1, 1).
inline bool hits_circle(std::uint32_t u, std::uint32_t v) {
  const long double x = static_cast<std::int32_t>(u) / 0x1p31L;
  const long double y = static_cast<std::int32_t>(v) / 0x1p31L;
  return x * x + y * y < 1;  // exact: 64 bits hold the sum
}

/// The serial reference of `philox`: two trials a block.
inline std::int64_t hits_philox(std::uint64_t seed, std::int64_t trials) {
  const time_spent::Timer referring(time_spent::Part::references);
  return check::sum(trials, [&](std::int64_t t) {
    const auto words = reference::philox(seed, static_cast<std::uint64_t>(t / 2));
    const auto k = static_cast<std::size_t>(2 * (t % 2));
    return std::int64_t{hits_circle(words[k], words[k + 1])};
  });
}

inline double standard_error(double trials) {
  return std::sqrt(std::numbers::pi * (4 - std::numbers::pi) / trials);
}

/// Is the area within five standard errors of pi?
inline Verdict plausible(std::int64_t hits, std::int64_t trials) {
  const double n = static_cast<double>(trials), area = 4 * static_cast<double>(hits) / n;
  // For a handful of trials the normal approximation is off: no count is implausible by less
  // than 4.
  return check::number("the area with pi, by five standard errors", area, std::numbers::pi,
                       5 * standard_error(n) + 4 * 4 / n);
}

inline Values summary(std::int64_t hits, std::int64_t trials) {
  const double n = static_cast<double>(trials), area = 4 * static_cast<double>(hits) / n;
  return {{"hits", hits},
          {"trials", trials},
          {"area", area},
          {"error", std::abs(area - std::numbers::pi)},
          {"standard_error", standard_error(n)}};
}

/// The hits of another sample, sample(to), apart from those that the row found.
template <class Space, class Sample>
double hits_of(const Space& space, const Sample& sample) {
  const data::Scalar<Space, std::int64_t> to("hits of the check");
  sample(to);
  space.fence("parallax::circle_area: another sample");
  return static_cast<double>(data::on_host(to)());
}

/// Judges a count of `trials`, whose first `most_exact` have `known` hits: exactly, or else by
/// statistics and by `hits_of_fewer()`. The summary is of all ranks.
template <class Fewer>
Verdict judge_hits(std::int64_t found, std::int64_t known, std::int64_t trials,
                   std::int64_t all_trials, const Fewer& hits_of_fewer) {
  const auto expected = static_cast<double>(known);
  std::int64_t all = found;
  ranks::sum(&all, 1);
  auto verdict =
      trials <= most_exact
          ? check::number("hits with a serial count", static_cast<double>(found), expected, 0)
          : check::both(plausible(found, trials),
                        check::number("hits of 2^25 trials with a serial count", hits_of_fewer(),
                                      expected, 0));
  return std::move(verdict).with(summary(all, all_trials));
}

template <class States>
Verdict judge_states(const States& states, const std::vector<reference::Xoroshiro>& expected) {
  return check::number("states that a serial run does not have",
                       static_cast<double>(reference::differing(data::on_host(states), expected)),
                       0, 0);
}

}  // namespace parallax::circle_area
