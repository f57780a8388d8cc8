// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parallax {

struct Results;

/// The table of a run, which fits 80 columns where names are not long: for each exercise a line
/// with what its rows have in common, then a line per row.
std::string table(const Results& results, bool all_rows = true);
/// With tiers, spreads, whole names, and the reasons of the marks.
std::string full_table(const Results& results, bool all_rows = true);

}  // namespace parallax
