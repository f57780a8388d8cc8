// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parallax {

/// Prints the ratio of every later file's times to the first's, case by case, and which cases are
/// in one file only. Throws UsageError for a file that is not a results file, MachineError for one
/// that cannot be read.
int compare_files(const std::vector<std::string>& files);

}  // namespace parallax
