// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parallax::ranks {

/// Sums the time that a waiting thread did not run: Slurm suspends jobs, laptops sleep, and Open
/// MPI wakes a stopped rank before it ends it. A thread that runs asks every few milliseconds.
class Suspended {
 public:
  /// Seconds of the current wait, which began `waited` seconds ago; the last call, maybe of an
  /// earlier wait, was `pause` seconds ago.
  double seconds(double waited, double pause) {
    const bool first = waited < pause;
    const double away = first ? waited : pause;
    if (first) sum_ = 0;
    if (away > 1) sum_ += away;
    return sum_;
  }

 private:
  double sum_ = 0;
};

}  // namespace parallax::ranks
