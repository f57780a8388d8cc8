// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfenv>
#include <string>

namespace parallax {

/// How this thread's processor rounds, and whether it takes subnormal numbers for 0.
struct Rounding {
  int mode;  ///< as the C library knows it, which does not see all that a thread can set
  bool up, down, flushes;
  bool operator==(const Rounding&) const = default;
  static Rounding now();
};

/// Remembers the arithmetic of the host's threads before a run: a kernel that changes it would
/// change references and checks with it.
class Arithmetic {
 public:
  Arithmetic();
  /// Sets it back on all threads of the host. "" or what a run has changed.
  [[nodiscard]] std::string restored() const;

 private:
  std::fenv_t environment_{};
  Rounding rounding_;
};

}  // namespace parallax
