// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "measure/time/energy.hpp"
#include "platform/base/statistics.hpp"
#include "run/cases/run_options.hpp"

namespace parallax {

/// --tune: runs the cases with all values of their variants' tuning parameters, prints a line for
/// each variant and keeps the fastest, or with --energy what takes the fewest joules. Returns the
/// exit status. Kokkos must be initialised.
int tune(const std::vector<Case>& cases, const RunOptions& options);

/// Values of tuning parameters, and what a run of a variant took with them.
struct Tried {
  Values values;                     ///< empty: the variant's own
  std::optional<double> took;        ///< ns, or joules; none: refused, wrong or not measured
  std::optional<Interval> interval;  ///< 95 %
};
/// `ns`: of all rounds.
Tried by_time(const Values& values, const std::vector<double>& ns);
/// The mean of the rounds; their intervals together are its interval.
Tried by_energy(const Values& values, const std::vector<RowEnergy>& rounds);
/// The least of those that clearly take less than the first, which has the variant's own values:
/// the 95 % intervals do not overlap. 0 where none does.
std::size_t best_of(const std::vector<Tried>& tried);

}  // namespace parallax
