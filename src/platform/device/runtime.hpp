// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// What the harness asks of Kokkos itself, in words that need none of Kokkos's headers: only nvcc
/// compiles those in a CUDA build, and it takes minutes where the host's compiler takes seconds.
namespace parallax::runtime {

/// Leaves the arguments that Kokkos does not know.
void initialize(int& argc, char** argv);
void finalize();
/// Waits until every space has finished what was launched.
void fence(const char* label);
/// How many devices the machine has; -1 where no device backend is built in.
int num_devices();
/// "5.0.2"
std::string version();
std::string configuration();

}  // namespace parallax::runtime
