// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/time/disturbance.hpp"

#include <algorithm>

#include "measure/time/timing.hpp"
#include "platform/base/numbers.hpp"

namespace parallax {
namespace {

// A system that is said to be idle takes some thousandths for itself.
constexpr double short_wait = 0.02;
// The same of samples in which no thread was interrupted: threads that sleep between two kernels
// wait when they wake up.
constexpr double long_wait = 0.1;
// Less than that, and the median is of samples that were not hit.
constexpr double many_samples = 0.25;
// /proc/stat counts in hundredths of a second.
constexpr double much_stolen = 0.05;
constexpr double ran_little = 0.9;
constexpr double long_calibration = 1.5;

std::string percent(double share) { return fixed(100 * share, share < 0.1 ? 1 : 0) + " %"; }

/// Of the time of samples in which no thread was interrupted, how much a thread must have waited:
/// what it waited beyond all other time.
double waited_unhit(const Observation& seen) {
  double unhit = 0;
  for (std::size_t k = 0; k < std::min(seen.sample_ns.size(), seen.switches.size()); ++k)
    if (seen.switches[k] == 0) unhit += seen.sample_ns[k];
  if (unhit <= 0) return 0;
  return (seen.waited_ns.value_or(0) - (seen.wall_ns - unhit)) / unhit;
}

}  // namespace

Observation between(const SchedulerReading& before, const SchedulerReading& after, int threads) {
  Observation seen;
  seen.threads = threads;
  seen.processors = after.processors;
  const double wall = std::max(1.0, nanoseconds(after.at - before.at));
  seen.wall_ns = wall;
  for (const auto& [thread, waited] : after.waited_ns) {
    const auto earlier = before.waited_ns.find(thread);
    if (earlier == before.waited_ns.end()) continue;
    // A wait counts when it ends, and may have begun before.
    seen.waited_ns = std::max(seen.waited_ns.value_or(0), std::min(waited - earlier->second, wall));
  }
  const int running =
      seen.processors > 0 ? std::min(threads, seen.processors) : std::max(threads, 1);
  if (before.stolen_ns && after.stolen_ns)
    // Of all processors, those that this row does not use, too: it cannot be more than all.
    seen.stolen = std::min(1.0, (*after.stolen_ns - *before.stolen_ns) / (wall * running));
  seen.ran = (after.cpu_ns - before.cpu_ns) / (wall * running);
  return seen;
}

std::vector<std::size_t> hit_samples(const Observation& seen) {
  std::vector<std::size_t> hit;
  for (std::size_t k = 0; k < seen.switches.size(); ++k)
    if (seen.switches[k] > 0) hit.push_back(k);
  return hit;
}

std::string disturbance(const Observation& seen) {
  const auto hit = hit_samples(seen).size();
  const auto samples = seen.switches.size();
  const bool many_hit =
      static_cast<double>(hit) >= many_samples * static_cast<double>(samples) && hit > 0;
  const std::string in_samples =
      ", in " + std::to_string(hit) + " of " + std::to_string(samples) + " samples";
  const double waited = seen.waited_ns.value_or(0) / std::max(seen.wall_ns, 1.0);
  if ((waited > short_wait && many_hit) || waited_unhit(seen) > long_wait) {
    const std::string share = "waited " + percent(waited) + " of the time for a processor";
    if (seen.processors > 0 && seen.threads > seen.processors)
      return "a thread " + share + ": " + std::to_string(seen.threads) + " threads share " +
             std::to_string(seen.processors) + " processors";
    return "a thread " + share + (hit > 0 ? in_samples : "");
  }
  if (seen.stolen && *seen.stolen > much_stolen)
    return "the host of this virtual machine took " + percent(*seen.stolen) +
           " of the threads' time";
  // Kernels that do not tell how long threads wait.
  if (!seen.waited_ns && many_hit && seen.ran < ran_little)
    return "the threads ran for " + percent(seen.ran) + " of the time, and lost a processor" +
           in_samples;
  if (const double stretch = std::min(seen.stretch_before, seen.stretch_after);
      stretch > long_calibration)
    return "a calibrating loop took " + fixed(stretch, 1) +
           " times its time, before the samples and after them";
  return "";
}

}  // namespace parallax
