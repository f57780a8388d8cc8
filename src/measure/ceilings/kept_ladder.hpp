// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "measure/ceilings/ladder.hpp"

namespace parallax {

/// The kept ladder; measured and kept where there is none, or `fresh` asks for it. Says on standard
/// error what was wrong with a file.
Ladder kept_ladder(const SpaceInfo& space, const std::vector<Cache>& caches, bool fresh,
                   double triad = 0);

}  // namespace parallax
