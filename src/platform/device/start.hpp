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

/// Judges what Kokkos will read when it starts; then it cannot but start. With `bind` the program
/// may start itself anew here (binding.hpp): before it has read any file.
void prepare_kokkos(KokkosFlags& kokkos, bool bind);

/// Initialises Kokkos for the life of the object.
class KokkosScope {
 public:
  explicit KokkosScope(KokkosFlags& kokkos);
  ~KokkosScope();
  KokkosScope(const KokkosScope&) = delete;
  KokkosScope& operator=(const KokkosScope&) = delete;
};

}  // namespace parallax
