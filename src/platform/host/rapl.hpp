// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace parallax {

/// The counters of energy of all domains of one kind: RAPL, as Linux shows Intel's and AMD's.
class Rapl {
 public:
  /// Domains whose names begin with `kind`, "package" or "dram", in /sys/class/powercap below
  /// `root`. PARALLAX_RAPL names another folder than the system's.
  Rapl(const std::string& root, const std::string& kind);

  /// Used since some moment that stays the same; nothing where a counter cannot be read, or where
  /// there is none. To be called at least once each time a counter starts anew, which is minutes.
  std::optional<double> joules();
  /// Why the last reading gave nothing.
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  /// A counter that starts anew at `range`; all in joules.
  struct Counter {
    std::string file;
    double range = 0, last = 0, total = 0;
  };
  std::vector<Counter> counters_;
  std::string missing_;
};

}  // namespace parallax
