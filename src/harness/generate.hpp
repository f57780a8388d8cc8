// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/parameters.hpp"

namespace parallax {

/// What `parallax generate events` was asked for.
struct GenerateOptions {
  std::string output;
  std::vector<std::pair<std::string, std::string>> set;
  std::int64_t seed = 12345;
  bool force = false;  ///< replace a file that is there
};

/// The parameters of `generate events`.
std::vector<Parameter> generate_parameters();

/// Refuses what cannot be, before Kokkos starts: UsageError, or MachineError for a file that exists
/// or cannot be written, or where the program was built without HDF5.
Parameters prepare_generate(const GenerateOptions& options);

/// Writes the file, whole or not at all, and says on standard output what is in it. The exit
/// status.
int generate_events(const GenerateOptions& options, const Parameters& parameters);

}  // namespace parallax
