// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace parallax::data {

using Rgb = std::array<std::uint8_t, 3>;

/// A gradient for t in [0, 1]: deep blue, sky, ivory, amber, rust. Its lightness rises and falls
/// once, so that it reads in print and to colour-blind eyes too.
inline Rgb gradient(double t) {
  struct Stop {
    double at, red, green, blue;
  };
  constexpr std::array<Stop, 6> stops{{{0.00, 8, 12, 56},
                                       {0.22, 30, 92, 172},
                                       {0.45, 150, 212, 232},
                                       {0.62, 255, 246, 214},
                                       {0.80, 247, 160, 48},
                                       {1.00, 112, 22, 18}}};
  t = std::clamp(t, 0.0, 1.0);
  std::size_t k = 1;
  while (k + 1 < stops.size() && t > stops[k].at) ++k;
  const Stop &low = stops[k - 1], &high = stops[k];
  const double share = (t - low.at) / (high.at - low.at);
  const auto mix = [share](double a, double b) {
    return static_cast<std::uint8_t>(a + share * (b - a) + 0.5);
  };
  return {mix(low.red, high.red), mix(low.green, high.green), mix(low.blue, high.blue)};
}

}  // namespace parallax::data
