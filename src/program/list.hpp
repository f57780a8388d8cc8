// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parallax {

/// What `parallax list` prints: a line for each exercise, and the spaces built in.
std::string list_text();
/// With variants, parameters and default sizes.
std::string full_list_text();
/// The same for programs; the Python twins read their sizes from it.
std::string list_json();
/// What `parallax info` prints. Kokkos must be initialised.
std::string info_text(bool fresh_ceilings);

}  // namespace parallax
