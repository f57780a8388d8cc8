// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace parallax {

struct CompareOptions {
  std::vector<std::string> files;
  /// A ratio: a case that is slower by more makes the status 1.
  std::optional<double> fail_above{};
  /// What does not count as a difference, as a share of the time.
  double threshold = 0.02;
  /// How many files in a row are runs of one program, which make one column.
  std::size_t runs = 1;
  /// "variant", "space", "precision" or "ranks": a column for each of these, instead of one for
  /// each file.
  std::string across{};
  /// Instead of the table, a chart of the times by commit.
  std::optional<std::string> series{};
};

/// The parts of a case's name that --across takes, in the order of the name after the exercise.
inline const std::vector<std::string> name_parts{"variant", "space", "precision", "ranks"};

/// Prints the ratio of every later file's (or column's) times to the first's, case by case, what
/// follows from it, and why the files do not match where they do not. Returns the exit status.
/// Throws UsageError for a file that is not a results file, MachineError for one that cannot be
/// read.
int compare_files(const CompareOptions& options);

}  // namespace parallax
