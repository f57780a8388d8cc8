// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace parallax {

/// Kernels by the space that ran them: {"openmp", 2}.
using Launches = std::map<std::string, std::int64_t>;

/// Runs something, waits for it, and counts the kernels that it launched, as Kokkos reports them to
/// its tools. Those by which Kokkos fills and copies views are not counted. Not for a run that is
/// judged or timed: Kokkos waits for the device around each kernel that it reports.
Launches launches_of(const std::function<void()>& run);

}  // namespace parallax
