// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "measure/ceilings/ladder.hpp"

namespace parallax {

/// Measures it, in a few rounds; empty after an interrupt, or where memory is too short.
Ladder measure_ladder(const SpaceInfo& space, const std::vector<Cache>& caches);

}  // namespace parallax
