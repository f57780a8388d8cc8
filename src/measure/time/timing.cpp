// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/time/timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include "platform/base/interrupt.hpp"
#include "platform/base/statistics.hpp"
#include "platform/device/device_events.hpp"
#include "platform/device/runtime.hpp"
#include "platform/host/scheduler.hpp"
#include "platform/ranks/ranks.hpp"

namespace parallax {
namespace {

double process_cpu_ns() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

void fence() { runtime::fence("parallax::measure"); }

/// What start, fence and stop cost when there is nothing to wait for, ns.
double fence_cost() {
  double least = 1e9;
  for (int i = 0; i < 20; ++i) {
    const auto start = Clock::now();
    fence();
    least = std::min(least, nanoseconds(Clock::now() - start));
  }
  return least;
}

struct Sample {
  double real_ns, cpu_ns;
  double own_ns;    ///< of this rank
  double event_ns;  ///< NaN: not taken
};

Sample take(const std::function<void()>& run, std::int64_t iterations,
            bindings::DeviceEvents* events = nullptr) {
  fence();
  ranks::barrier();
  const double cpu_start = process_cpu_ns();
  const auto start = Clock::now();
  if (events) events->start();
  for (std::int64_t i = 0; i < iterations; ++i) run();
  if (events) events->stop();
  fence();
  const auto stop = Clock::now();
  const double runs = static_cast<double>(iterations), own = nanoseconds(stop - start) / runs;
  return {ranks::largest(own), (process_cpu_ns() - cpu_start) / runs, own,
          events ? events->elapsed_ns() / runs : std::nan("")};
}

/// Runs per sample, so that the fence is lost in it.
std::int64_t batch(double run_ns, double sample_time) {
  constexpr double shortest_sample_ns = 100e3;
  constexpr double share_of_fence = 0.005;
  // A fence that waits for a device pays for the first launch as well and for being woken: 5 to 10
  // us, and up to 100 where a library is called from Python. Samples are of one length here and
  // there (python/parallax/twins/timing.py).
  constexpr double device_sample_ns = 10e6;
  const double wanted = sample_time > 0 ? sample_time * 1e9
                        : runtime::num_devices() > 0
                            ? device_sample_ns
                            : std::max(shortest_sample_ns, fence_cost() / share_of_fence);
  return static_cast<std::int64_t>(
      ranks::largest(std::clamp(std::ceil(wanted / std::max(run_ns, 1.0)), 1.0, 1e6)));
}

/// Whether another of a device's times is wanted, when `taken` were taken since `start`: 20 of
/// short runs; of long ones, which differ little, the number that 50 ms hold, and 3 at least.
bool wants_another(int taken, Clock::time_point start) {
  return taken < 20 && (taken < 3 || nanoseconds(Clock::now() - start) < 50e6) && !interrupted();
}

/// As `_device_times` of python/parallax/twins/timing.py: peers are compared on one clock.
void take_device_times(Samples& samples, const std::function<void()>& run,
                       const std::function<void()>& flush, bool repeatable) {
  auto start = Clock::now();
  if (samples.iterations == 1) samples.seen_ns = samples.real_ns;
  for (int i = 0; samples.iterations > 1 && wants_another(i, start); ++i)
    samples.seen_ns.push_back(take(run, 1).real_ns);
  if (!bindings::device_has_events || !repeatable || !samples.event_ns.empty()) return;
  // The runs that the events need to be exact, but no more launches than fit into the queue
  // behind the delay, nor than the host makes while it lasts: a run may be many launches.
  constexpr double shortest_ns = 1e6, launching_ns = 2e6;
  double share = 1;  // of the delay, which covers `launching_ns`
  const double run_ns = std::max(1.0, median(samples.real_ns));  // NaN: none was taken
  const auto most = std::min<std::int64_t>(samples.iterations, 50);
  const auto runs =
      std::clamp(static_cast<std::int64_t>(std::ceil(shortest_ns / run_ns)), std::int64_t{1}, most);
  const bindings::DeviceDelay delay;
  static const bool loaded = (delay(0), fence(), true);
  static_cast<void>(loaded);
  bindings::DeviceEvents events;
  start = Clock::now();
  for (int i = 0; wants_another(i, start); ++i) {
    if (flush) flush();
    fence();
    delay(share);
    events.start();
    const auto launched = Clock::now();
    std::int64_t done = 0;
    while (done < runs && (done == 0 || nanoseconds(Clock::now() - launched) < launching_ns)) {
      run();
      ++done;
    }
    // The next launches take no longer, but for a host that is disturbed.
    share = std::clamp(10 * nanoseconds(Clock::now() - launched) / launching_ns, 0.1, 1.0);
    events.stop();
    const double ns = events.elapsed_ns() / static_cast<double>(done);
    if (std::isfinite(ns)) samples.event_ns.push_back(ns);
  }
}

}  // namespace

bool narrow(const std::vector<double>& ns) {
  const auto interval = median_interval(ns);
  return interval && interval->high - interval->low <= 0.02 * median(ns);
}

Samples measure(const std::function<void()>& run, const std::function<void()>& prepare,
                const TimingOptions& options) {
  Samples samples;
  const auto ready = [&] {
    if (prepare) prepare();
    if (options.flush) options.flush();
  };
  double estimate = 0, total_ns = 0;
  // A launch and a wait of some 10 us are nothing in a run as long as this: its samples are timed
  // by both clocks.
  constexpr double events_fit_ns = 10e6;
  bindings::DeviceEvents events;
  bindings::DeviceEvents* const both_clocks = options.device && bindings::device_has_events &&
                                                      !prepare && !options.flush &&
                                                      !ranks::several()
                                                  ? &events
                                                  : nullptr;
  bool halfway = false;
  std::vector<double> own_ns;
  const auto keep = [&](const Sample& sample, long switches) {
    own_ns.push_back(sample.own_ns);
    samples.switches.push_back(switches);
    samples.real_ns.push_back(sample.real_ns);
    samples.cpu_ns.push_back(sample.cpu_ns);
    if (std::isfinite(sample.event_ns)) samples.event_ns.push_back(sample.event_ns);
    total_ns += sample.real_ns * static_cast<double>(samples.iterations);
  };
  for (std::int64_t i = 0; i < options.warmup && !interrupted(); ++i) {
    ready();
    estimate = take(run, 1).real_ns;
  }
  if (!prepare && !options.flush) {
    if (estimate == 0) {
      const long switches = involuntary_switches();
      const auto first = take(run, 1, both_clocks);
      estimate = first.real_ns;
      // No run is to be dropped.
      if (estimate >= slow_ns) keep(first, involuntary_switches() - switches);
    }
    // The first estimate of a short run is mostly fence: take it again over a batch.
    if (estimate < 1e6) estimate = take(run, batch(estimate, options.sample_time)).real_ns;
    samples.iterations = batch(estimate, options.sample_time);
  }
  while (true) {
    if (interrupted()) {
      samples.interrupted = true;
      break;
    }
    const auto taken = static_cast<std::int64_t>(samples.real_ns.size());
    const double least_ns = options.min_time * 1e9;
    bool enough = taken >= options.repeat && total_ns >= least_ns;
    // Asked once, halfway: to sort the samples takes time.
    if (!halfway && taken >= options.repeat && total_ns >= least_ns / 2) {
      halfway = true;
      enough = enough || narrow(samples.real_ns);
    }
    const double most_ns = options.max_time * 1e9;
    const bool too_long =
        !options.repeat_given && ((taken >= 3 && total_ns >= most_ns) ||
                                  (taken >= 1 && samples.real_ns.back() >= very_slow_ns));
    if (enough || too_long) break;
    ready();
    const long switches = involuntary_switches();
    const bool long_run = samples.iterations == 1 && estimate >= events_fit_ns;
    const auto sample = take(run, samples.iterations, long_run ? both_clocks : nullptr);
    keep(sample, involuntary_switches() - switches);
  }
  if (ranks::several()) samples.ranks_ns = ranks::gathered(own_ns);
  // Between several ranks there is no device's clock.
  if (options.device && !ranks::several()) take_device_times(samples, run, options.flush, !prepare);
  return samples;
}

}  // namespace parallax
