// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace parallax {

/// What every thread of a space did in a chain of additions, where each waits for the one
/// before: a known number of cycles, at one cycle each, on every core there is.
struct Calibration {
  /// The clock of the slowest thread, by the fastest of its pieces.
  double mhz = 0;
  /// The time of a thread's pieces over what they take if each is its fastest: above 1,
  /// something else had its core meanwhile. The worst thread's.
  double stretch = 1;
  /// Of x86's counter, which runs at one speed: the clock that the processor is sold with.
  std::optional<double> time_stamp_mhz;
};

/// A fifth of a millisecond on all threads of a space of the host at once; `threads`: the number
/// that a sweep has, 0: all.
Calibration calibrate(const std::string& space, int threads = 0);

}  // namespace parallax
