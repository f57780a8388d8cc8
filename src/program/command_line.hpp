// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parallax {

/// The whole program: command line, Kokkos, run, exit status. One for every program: linked with
/// one exercise it is that exercise's program, linked with several it offers them by name
/// (docs/command-line.md).
int command_line(int argc, char** argv);

}  // namespace parallax
