// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "exercise/exercise.hpp"

namespace parallax {

struct Trial;

/// Why a row is wrong, in a student's words.
struct Cause {
  std::string what;    ///< "the last 3 elements are missing"; docs/command-line.md lists them
  std::string detail;  ///< which elements, and what is in them
};

/// Finds out why a run failed. Call it before another row is run: the outputs must be as the failed
/// run left them. Runs the row several times more, also from outputs of 0 and of 1, which tell an
/// element that was not written from one that was added to.
Cause diagnose(const Row& row, const Trial& failed);

}  // namespace parallax
