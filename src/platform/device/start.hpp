// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parallax {

/// Kokkos's own flags, set apart from ours, and all arguments as they came.
struct KokkosFlags {
  std::vector<std::string> flags;
  char** arguments = nullptr;
};

/// Refuses the values at which Kokkos would end the process when it starts. With `bind` the program
/// may start itself anew here (processors.hpp), before it has read any file.
void prepare_kokkos(KokkosFlags& kokkos, bool bind);

/// Initialises Kokkos for the life of the object. Throws UsageError for an option that Kokkos does
/// not know.
class KokkosScope {
 public:
  explicit KokkosScope(KokkosFlags& kokkos);
  ~KokkosScope();
  KokkosScope(const KokkosScope&) = delete;
  KokkosScope& operator=(const KokkosScope&) = delete;
};

}  // namespace parallax
