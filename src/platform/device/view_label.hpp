// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace parallax {

/// A View's label, which Kokkos writes ahead of its elements in a block of memory; Kokkos's own
/// scratch has none. Needs none of Kokkos's headers.
std::string label_of(const unsigned char* block, std::size_t bytes);

}  // namespace parallax
