// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// What is known of the area: its bounds, and what a serial run counts.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "exercise/api.hpp"

namespace parallax::mandelbrot_area {

/// The number of trials that a serial reference does in about a second.
inline constexpr std::int64_t most_exact = std::int64_t{1} << 16;

/// The course's bounds of the area. Y. Fisher and J. Hill have proven 1.5031197 to 1.5613027; T.
/// Förstemann's count of pixels gives 1.506592.
inline constexpr double least_area = 1.50640, largest_area = 1.53121;

/// What a serial run finds, and the states that it leaves.
struct Known {
  std::int64_t members = 0, undecided = 0;
  std::vector<reference::Xoroshiro> states{};
};

/// The serial reference: dart after dart, by Floyd's method.
template <class T>
Known count_members(std::vector<reference::Xoroshiro> streams, std::int64_t trials,
                    std::int64_t cap) {
  const auto step = [](std::array<T, 2>& z, T c_re, T c_im) {
    z = {std::fma(z[0], z[0], std::fma(-z[1], z[1], c_re)), std::fma(z[0] + z[0], z[1], c_im)};
  };
  const time_spent::Timer referring(time_spent::Part::references);
  const auto threads = static_cast<std::int64_t>(streams.size());
  constexpr std::int64_t parts = 256;  // of the streams, shared out over the host's cores
  std::vector<Known> found(parts);
  check::on_all_cores(parts, [&](std::int64_t p) {
    Known counted;
    for (std::int64_t i = threads * p / parts; i < threads * (p + 1) / parts; ++i) {
      auto& stream = streams[static_cast<std::size_t>(i)];
      const std::int64_t mine = trials / threads + (i < trials % threads ? 1 : 0);
      for (std::int64_t t = 0; t < mine; ++t) {
        const T c_re = static_cast<T>(stream.uniform() * 3.0 - 2.0);
        const T c_im = static_cast<T>(stream.uniform() * 3.0 - 1.5);
        std::array<T, 2> tortoise{}, hare{};
        bool escaped = false, met = false;
        for (std::int64_t k = 0; k < cap && !escaped && !met; ++k) {
          step(tortoise, c_re, c_im);
          step(hare, c_re, c_im);
          step(hare, c_re, c_im);
          escaped = std::fma(hare[0], hare[0], hare[1] * hare[1]) > 4;
          met = !escaped && tortoise == hare;
        }
        counted.members += escaped ? 0 : 1;
        counted.undecided += escaped || met ? 0 : 1;
      }
    }
    found[static_cast<std::size_t>(p)] = counted;
  });
  Known known;
  for (const auto& part : found) {
    known.members += part.members;
    known.undecided += part.undecided;
  }
  known.states = std::move(streams);
  return known;
}

/// A stream whose first dart is c = -2, the end of the set's antenna, where |z|^2 stays 4: no run
/// of feasible length throws it. Found by a search.
inline constexpr reference::Xoroshiro throws_minus_two{0xFFFFD65B3FC384FF, 0x000029A4C03C7B01};

/// Compares two counts, Views of one number, with a serial run's.
template <class Number>
Verdict both_counts(const Number& members, const Number& undecided, const Known& right) {
  const auto compare = [](const char* what, const Number& found, std::int64_t known) {
    return check::number(what, static_cast<double>(data::on_host(found)()),
                         static_cast<double>(known), 0);
  };
  return check::both(compare("members with a serial count", members, right.members),
                     compare("undecided likewise", undecided, right.undecided));
}

/// The area with the course's bounds, by five standard errors.
inline Verdict within_bounds(std::int64_t members, std::int64_t undecided, std::int64_t trials) {
  const double n = static_cast<double>(trials), error = 3.36 / std::sqrt(n);
  const double area = 9 * static_cast<double>(members) / n;
  const double open = 9 * static_cast<double>(undecided) / n;
  return check::number("the area with the course's bounds, by five standard errors",
                       undecided >= 0 && undecided <= members ? area : std::nan(""),
                       (least_area + largest_area + open) / 2,
                       (largest_area - least_area + open) / 2 + 5 * error);
}

inline Values summary(std::int64_t members, std::int64_t undecided, std::int64_t trials) {
  const double n = static_cast<double>(trials), area = 9 * static_cast<double>(members) / n;
  return {{"members", members},
          {"undecided", undecided},
          {"trials", trials},
          {"area", area},
          {"area_without_undecided", area - 9 * static_cast<double>(undecided) / n},
          {"standard_error", 3.36 / std::sqrt(n)}};
}

}  // namespace parallax::mandelbrot_area
