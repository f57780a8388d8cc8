// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "measure/ceilings/ladder.hpp"

namespace parallax {

/// The ceilings of single accesses and copies; no kind is there after an interrupt. What is sure of
/// `earlier`, which a run before found, stays, and the rest gets one more round.
std::map<std::string, std::vector<Rung>> measure_accesses(
    const SpaceInfo& space, const std::vector<Cache>& caches,
    const std::map<std::string, std::vector<Rung>>& earlier = {});

}  // namespace parallax
