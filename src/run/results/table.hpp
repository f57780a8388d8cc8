// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parallax {

struct Results;

/// The table of a run: one line per row, under a line that names the columns.
std::string table(const Results& results, bool all_rows = true);
}  // namespace parallax
