// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/exercise.hpp"

namespace parallax {

/// Writes an 8-bit RGB picture with libpng, whole or not at all. Throws MachineError.
void write_png(const std::string& path, const Image& image);

}  // namespace parallax
