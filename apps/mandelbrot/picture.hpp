// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "data/colours.hpp"
#include "data/png.hpp"

namespace parallax::mandelbrot {

/// Points of the set are black; the others take their colour from the logarithm of their count,
/// which gives the crowded shore the same number of shades as the open sea. The imaginary axis
/// points up. `pixels` is a matrix on the host.
template <class Pixels>
data::Image picture(const Pixels& pixels, int max_iterations) {
  data::Image image{pixels.extent_int(0), pixels.extent_int(1), {}};
  image.rgb.reserve(3 * pixels.size());
  for (int row = image.rows - 1; row >= 0; --row)
    for (int column = 0; column < image.columns; ++column) {
      const int count = pixels(row, column);
      const double t = std::log1p(count) / std::log1p(max_iterations);
      const data::Rgb colour = count >= max_iterations ? data::Rgb{4, 4, 12} : data::gradient(t);
      image.rgb.insert(image.rgb.end(), colour.begin(), colour.end());
    }
  return image;
}

}  // namespace parallax::mandelbrot
