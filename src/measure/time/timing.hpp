// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace parallax {

using Clock = std::chrono::steady_clock;
inline double nanoseconds(Clock::duration d) {
  return std::chrono::duration<double, std::nano>(d).count();
}

/// A run of this number of nanoseconds leaves the next one nothing to warm up.
inline constexpr double slow_ns = 100e6;

/// One sample of a run of this number of nanoseconds is enough, unless the user asks for more.
inline constexpr double very_slow_ns = 3e9;

/// How long to measure. See docs/measuring.md, "How times are taken".
struct TimingOptions {
  std::int64_t repeat = 10;   ///< samples at least
  bool repeat_given = false;  ///< by the user: then `max_time` does not cut the samples short
  std::int64_t warmup = 1;    ///< runs dropped, besides the verified one
  bool warmup_given = false;  ///< by the user: then the verified run of a slow kernel is none
  double min_time = 0.2;      ///< seconds of samples at least; half if they are `narrow`
  double max_time = 0.3;      ///< seconds after which 3 samples are enough
  bool device = false;        ///< take the device's two times as well, `seen_ns` and `event_ns`
  double sample_time = 0;     ///< seconds of a batch of launches; 0: as long as the fence requires
  /// Empties the caches before each sample, which is one run then. Not timed, and fences.
  std::function<void()> flush{};
};

/// Nanoseconds per run, one entry a sample.
struct Samples {
  std::vector<double> real_ns;
  std::vector<double> cpu_ns;   ///< of the whole process: all its threads
  std::vector<long> switches;   ///< involuntary context switches of all threads, in each sample
  std::int64_t iterations = 1;  ///< runs in each sample
  /// Of this and the next at most 20 are taken, and of long runs fewer (timing.cpp). Samples of a
  /// single run, if it is not short, give both.
  std::vector<double> seen_ns;  ///< single runs between two fences, launch and wait included
  /// By the device's own clock, with the launches queued up: neither launch nor wait. Empty on
  /// hosts, and where each run has to be prepared.
  std::vector<double> event_ns;
  /// Of several ranks, each one's own times of the samples; `real_ns` are the slowest's.
  std::vector<std::vector<double>> ranks_ns;
  bool interrupted = false;  ///< a signal came before enough samples were taken
};

/// Whether samples differ so little that half of `min_time` is enough: the 95 % interval of their
/// median is at most 2 % wide.
bool narrow(const std::vector<double>& ns);

/// Fence, start, launch, fence, stop; of several ranks the slowest counts, from a barrier on. Runs
/// so short that the fence would show (more than 0.5 % of the sample) or that last less than 100 us
/// (10 ms where there is a device) are launched many times between fences, and the sample divided.
/// A row with `prepare` consumes its input: it is never batched, and `prepare` is not timed. Stops
/// early when a signal comes (interrupt.hpp).
Samples measure(const std::function<void()>& run, const std::function<void()>& prepare,
                const TimingOptions& options);

}  // namespace parallax
