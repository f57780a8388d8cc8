// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parallax {

struct Results;

/// One line per row; the header names the columns.
std::string to_csv(const Results& results);
/// A line for each row that was timed and verified: "parallax.fom NAME PARAMETER=VALUE... TIME ns".
/// Contract: docs/command-line.md.
std::string fom_lines(const Results& results);

}  // namespace parallax
