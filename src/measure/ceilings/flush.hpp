// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "platform/device/caches.hpp"
#include "platform/device/space_info.hpp"

namespace parallax {

/// Empties the caches of a space: reads an array that is larger than all of them. What it replaces
/// is written back meanwhile, and what it leaves behind is clean, so the next kernel pays for
/// neither.
class Flush {
 public:
  /// Allocates the array. Throws MachineError where there is too little memory for it.
  explicit Flush(const SpaceInfo& space);
  /// Fences.
  void operator()() const;
  [[nodiscard]] double bytes() const { return bytes_; }
  /// What the last flush read, by the sum of the numbers that it met.
  [[nodiscard]] double bytes_read() const;

  /// Twice all caches together; on a device a GiB at least, since some have caches that no
  /// interface names.
  static double wanted_bytes(bool on_host, const std::vector<Cache>& caches);

 private:
  double bytes_ = 0;
  std::function<void()> read_;
  std::function<double()> sum_;
};

}  // namespace parallax
