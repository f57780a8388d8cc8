// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "run/cases/run_options.hpp"

namespace parallax {

/// Refuses options that contradict --tune or --tuned-for-this-machine: throws UsageError.
void validate_tuning(const std::vector<Case>& cases, const RunOptions& options);

/// --tuned-for-this-machine: the cases with the values that were kept. Throws MachineError where
/// there are none.
std::vector<Case> tuned_cases(const std::vector<Case>& cases, const RunOptions& options);

/// The values that can be tried with the one variant of this case, its own first, as an empty set;
/// nothing where there is no choice.
std::vector<Values> values_to_try(const Case& c);
/// The case with these values. Throws UsageError where they are refused.
Case with_values(Case c, const Values& values);

/// What is best for the one variant of a case.
struct Choice {
  Case of;
  Values values;                  ///< empty: its own
  double took = 0, own_took = 0;  ///< ns, or joules
  bool energy = false;            ///< joules
};
/// Adds a choice to those that are kept. A damaged file is replaced, and named on standard error.
void keep(const Choice& choice);
/// The values that were kept for the one variant of this case, if any. Throws MachineError, or
/// UsageError where they are none of its parameters.
std::optional<Values> kept(const Case& c);

}  // namespace parallax
