// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "data/png.hpp"

namespace parallax::data {

/// Bars from the bottom, one for each count, their heights by the logarithm: peaks and continuum
/// both show.
inline Image draw_spectrum(const std::vector<std::int64_t>& counts) {
  const int bins = static_cast<int>(counts.size()), rows = 480;
  const int width = std::max(1, 1200 / std::max(1, bins)), columns = width * bins;
  const auto size = 3 * static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  Image image{rows, columns, std::vector<std::uint8_t>(size, 250)};
  std::int64_t most = 0;
  for (const auto count : counts) most = std::max(most, count);
  if (most == 0) return image;
  for (int bin = 0; bin < bins; ++bin) {
    const auto count = static_cast<double>(counts[static_cast<std::size_t>(bin)]);
    const double height = std::log1p(count) / std::log1p(static_cast<double>(most));
    const int top = static_cast<int>(height * (rows - 20));
    for (int row = rows - top; row < rows; ++row)
      for (int column = bin * width; column < (bin + 1) * width; ++column) {
        auto* const pixel = &image.rgb[3 * static_cast<std::size_t>(row * columns + column)];
        pixel[0] = 30;
        pixel[1] = 92;
        pixel[2] = 172;
      }
  }
  return image;
}

}  // namespace parallax::data
