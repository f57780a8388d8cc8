// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "measure/ceilings/ladder.hpp"

namespace parallax {

/// The ceilings of single accesses and copies; no kind is there after an interrupt.
std::map<std::string, std::vector<Rung>> measure_accesses(const SpaceInfo& space,
                                                          const std::vector<Cache>& caches);

}  // namespace parallax
