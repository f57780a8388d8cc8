// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/exercise.hpp"

namespace parallax {

/// What one space of this machine can do, measured in this process: the denominators of every
/// percentage.
struct Ceilings {
  std::string space;
  double copy = 0, triad = 0, read = 0, write = 0;  ///< bytes per second, reads plus writes
  double fma_f32 = 0, fma_f64 = 0;  ///< flops per second, two per fused multiply-add
  std::size_t array_bytes = 0;      ///< size of each array of the bandwidth tests

  [[nodiscard]] bool measured() const { return triad > 0; }
};

/// Measures one space, in about a third of a second. Arrays are several times the last cache,
/// memory permitting.
Ceilings measure_ceilings(const std::string& space);

/// The ceiling nearest to which `work` can come: its name ("triad", "fma_f64"; "" where the work
/// names neither bytes nor flops) and the least time it allows, ns.
struct Bound {
  std::string name;
  double least_ns = 0;
};
Bound bound(const Ceilings& ceilings, const Work& work, const std::string& precision);

const char* name_of(Traffic traffic);

}  // namespace parallax
