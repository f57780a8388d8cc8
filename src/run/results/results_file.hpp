// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "platform/base/statistics.hpp"

namespace parallax {

/// A row of a results file, as far as a comparison needs it.
struct FileCase {
  std::size_t position = 0;  ///< of its row in the file
  Estimate time;             ///< ns; 0 where it was not timed
  Estimate cycles;           ///< of the clock that was measured; 0 where it was not
  std::map<std::string, std::string> parameters;
  std::string space;
  bool other_work = false;
  bool check_failed = false;  ///< and was not expected to
  std::string doubt;          ///< why its times cannot be trusted; "": nothing is known
  bool disturbed = false;     ///< something else ran meanwhile
};

/// A results file: ours, or any other in Google Benchmark's schema.
struct ResultsFile {
  std::string name;
  std::map<std::string, FileCase> cases;
  std::map<std::string, std::string> build;  ///< compiler, flags, Kokkos: what changes times
  std::map<std::string, std::string> devices, threads;  ///< by space
  bool complete = true;
  double ranks = 1;   ///< of a column of `compare --across ranks`
  bool weak = false;  ///< each of them had the work of one
};

/// Throws UsageError for a file that is not a results file, MachineError for one that cannot be
/// read.
ResultsFile read_results_file(const std::string& file);

/// The cases of several runs of one program: their mean, and an interval that has seen how runs
/// differ. Throws UsageError where a case did not do the same in all of them.
ResultsFile mean_of_files(const std::vector<ResultsFile>& runs);

}  // namespace parallax
