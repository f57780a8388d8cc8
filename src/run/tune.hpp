// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "run/cases/run_options.hpp"

namespace parallax {

/// --tune: runs the cases with all values of their variants' tuning parameters, prints a line for
/// each variant and keeps the best. Returns the exit status. Kokkos must be initialised.
int tune(const std::vector<Case>& cases, const RunOptions& options);

/// Values of tuning parameters, and the times of a variant that ran with them.
struct Tried {
  Values values;           ///< empty: the variant's own
  std::vector<double> ns;  ///< none: refused, or wrong
};
/// The fastest of those that are clearly faster than the first, which has the variant's own
/// values: the 95 % intervals of the medians do not overlap. 0 where none is.
std::size_t best_of(const std::vector<Tried>& tried);

}  // namespace parallax
