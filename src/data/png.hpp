// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace parallax::data {

/// 8-bit RGB, row-major.
struct Image {
  int rows = 0, columns = 0;
  std::vector<std::uint8_t> rgb;
};

/// Writes an 8-bit RGB picture with libpng, whole or not at all. Throws MachineError.
void write_png(const std::string& path, const Image& image);

}  // namespace parallax::data
