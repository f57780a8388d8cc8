// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace parallax {

struct CompareOptions {
  std::vector<std::string> files;
  /// A ratio: a slowdown above it that exceeds the noise makes the status 1.
  std::optional<double> fail_above{};
  /// "variant", "space" or "precision": a column for each of these, instead of one for each file.
  std::string across{};
};

/// The parts of a case's name that --across takes, in the order of the name after the exercise.
inline const std::vector<std::string> name_parts{"variant", "space", "precision"};

/// Below this p of the rank test, a difference counts as one: one case in a hundred is called
/// different by chance.
inline constexpr double significance = 0.01;

/// Prints the ratio of every later file's (or column's) times to the first's, case by case, whether
/// the difference exceeds the noise, and why the files do not match where they do not. Returns the
/// exit status. Throws UsageError for a file that is not a results file, MachineError for one that
/// cannot be read.
int compare_files(const CompareOptions& options);

}  // namespace parallax
