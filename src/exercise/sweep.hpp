// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parallax {

/// A parameter that takes several values in one run.
struct Sweep {
  std::string name;
  std::vector<std::string> values;  ///< whole numbers are written plainly: 1000, not 1e3
};

/// Reads NAME=FIRST:LAST:xFACTOR, NAME=FIRST:LAST:+STEP or NAME=A,B,C. LAST is taken where a step
/// meets it. Throws UsageError.
Sweep parse_sweep(const std::string& text);

/// A team size as users type it, a whole number from 1 or `auto`, which is 0. Throws UsageError
/// that names the option.
int parse_team_size(const std::string& option, const std::string& text);

}  // namespace parallax
