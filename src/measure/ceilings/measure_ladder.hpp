// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "measure/ceilings/ladder.hpp"

namespace parallax {

/// Measures it, in a few rounds; empty after an interrupt, or where memory is too short.
/// `earlier`: what a run before found, if any; what was sure of it stays, and the rest gets one
/// more round.
Ladder measure_ladder(const SpaceInfo& space, const std::vector<Cache>& caches,
                      const Ladder& earlier = {});

}  // namespace parallax
