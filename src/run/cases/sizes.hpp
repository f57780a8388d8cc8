// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exercise/parameters.hpp"
#include "platform/base/numbers.hpp"

namespace parallax {

/// A size: one of the three, or one of them changed by a file.
struct Sizes {
  Size base = Size::course;
  std::map<std::string, std::vector<Assignments>> changes;  ///< by exercise: sets of parameters
};

std::optional<Size> named_size(const std::string& name);

/// What `--size` names: one of the three, `demo` (the course changed by configs/sizes/demo.json) or
/// a JSON file. Throws UsageError, MachineError for a file that cannot be read.
Sizes sizes_of(const std::string& name);

}  // namespace parallax
