// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parallax {

/// The whole program: command line, Kokkos, run, exit status. One for every program: linked with
/// one exercise it is that exercise's program, linked with several it offers them by name
/// (docs/command-line.md).
int command_line(int argc, char** argv);

/// What `parallax list` prints: exercises, variants, spaces built in, default sizes.
std::string list_text();
/// The same for programs; the Python twins read their sizes from it.
std::string list_json();
/// What `parallax info` prints. Kokkos must be initialised.
std::string info_text(bool fresh_ceilings);

}  // namespace parallax
