// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "run/cases/run_options.hpp"

namespace parallax {

/// Resolves the options into cases, or throws UsageError (MachineError for an unreadable size
/// file). Touches no device.
std::vector<Case> select_cases(const RunOptions& options);

/// What `--dry-run` prints: every case with its parameters and memory.
std::string dry_run(const std::vector<Case>& cases);

}  // namespace parallax
