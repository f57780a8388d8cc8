// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "run/cases/run_options.hpp"

namespace parallax {

struct Results;

/// Runs the cases and writes table and files; the return value is the exit status. Kokkos must be
/// initialised. `report` gets the results instead of table and files.
int run_cases(const std::vector<Case>& cases, const RunOptions& options,
              const std::function<void(const Results&)>& report = {});

}  // namespace parallax
