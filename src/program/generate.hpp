// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exercise/parameters.hpp"
#include "platform/base/numbers.hpp"

namespace parallax {

/// What `parallax generate events` was asked for.
struct GenerateOptions {
  std::string output;
  Assignments set;
  std::int64_t seed = 12345;
  bool force = false;  ///< replace a file that is there
};

std::vector<Parameter> event_parameters();
/// Rejects an invalid request before Kokkos starts: UsageError, or MachineError for a file that
/// exists or cannot be written.
void require_events(const GenerateOptions& options, const Parameters& parameters);
/// Writes the file, whole or not at all, and says on standard output what is in it. Returns the
/// exit status.
int generate_events(const GenerateOptions& options, const Parameters& parameters);

}  // namespace parallax
