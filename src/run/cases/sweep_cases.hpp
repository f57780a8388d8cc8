// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "run/cases/run_options.hpp"
#include "run/cases/sizes.hpp"

namespace parallax {

/// Refuses sweeps of what nothing chosen here has: throws UsageError. `known` names the parameters.
void validate_sweeps(const RunOptions& options, const std::vector<Exercise const*>& chosen,
                     std::vector<std::string> known);

/// Whether a sweep is over team sizes.
bool sweeps_teams(const RunOptions& options);

/// Every set of parameters with every value of every sweep that concerns this exercise and space.
std::vector<Assignments> swept(std::vector<Assignments> sets, const Exercise& e,
                               const Specialization& i, const RunOptions& options);

/// Sets a parameter, or the number of threads or the team size where those are swept.
void assign(Parameters& parameters, const std::pair<std::string, std::string>& assignment,
            const Exercise& e, const Specialization& i, const RunOptions& options);

/// "/name:value" for each parameter in which the sets of one exercise differ.
std::string suffix_of(const std::vector<Assignments>& sets, const Assignments& set);

}  // namespace parallax
