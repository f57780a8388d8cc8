// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace parallax {

/// A row of a results file, as far as a comparison needs it.
struct FileCase {
  std::size_t position = 0;     ///< of its row in the file
  double ns = 0;                ///< 0 where it was not timed
  std::vector<double> samples;  ///< ns; empty where the file has none
  std::map<std::string, std::string> parameters;
  std::string space;
  bool other_work = false;
  bool check_failed = false;  ///< and was not expected to
};

/// A results file: ours, or any other in Google Benchmark's schema.
struct ResultsFile {
  std::string name;
  std::map<std::string, FileCase> cases;
  std::map<std::string, std::string> build;  ///< compiler, flags, Kokkos: what changes times
  std::map<std::string, std::string> devices, threads;  ///< by space
  bool complete = true;
};

/// Throws UsageError for a file that is not a results file, MachineError for one that cannot be
/// read.
ResultsFile read_results_file(const std::string& file);

}  // namespace parallax
