// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/energy_rows.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "measure/time/timing.hpp"
#include "platform/base/error.hpp"
#include "platform/device/runtime.hpp"
#include "platform/host/scheduler.hpp"
#include "run/results/results.hpp"

namespace parallax {
namespace {

/// Many, and so far apart that reading costs nothing beside what runs between.
constexpr double between_readings_ms = 20;

void rest(double ms) { std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms)); }

}  // namespace

EnergyRows::EnergyRows(const std::vector<SpaceInfo>& spaces, double seconds) : seconds_(seconds) {
  std::vector<std::string> reasons;
  for (const auto& info : spaces) {
    auto found = meters_.find(info.on_host ? "host" : info.name);
    if (found == meters_.end())
      found = meters_
                  .emplace(info.on_host ? "host" : info.name,
                           EnergyMeter(info.on_host,
                                       info.on_host ? FoundSensors{} : open_sensors(info.name)))
                  .first;
    by_space_[info.name] = &found->second;
    if (const auto& why = found->second.missing(); !why.empty())
      reasons.push_back(info.name + ": " + why);
  }
  if (reasons.size() == spaces.size())
    throw MachineError("--energy: nothing here counts it (" + joined(reasons) + ")");
}

void EnergyRows::measure_idle() {
  for (auto& [name, meter] : meters_) {
    if (!meter.missing().empty()) continue;
    rest(500);  // threads that wait for work spin a while, and a device's clock falls late
    meter.measure_idle(seconds_, [] { rest(between_readings_ms); });
  }
}

RowEnergy EnergyRows::measure(const Row& row, const RowResult& timed, MachineState& machine) {
  const auto unknown = [](const std::string& why) { return RowEnergy{why, 0, 0, {}}; };
  if (row.prepare) return unknown("each run consumes its input, and making it would be counted");
  if (timed.set.cold) return unknown("emptying the caches would be counted");
  Samples steps;  // by which the machine's state is judged, as by the timed samples
  steps.iterations = static_cast<std::int64_t>(std::clamp(
      std::ceil(between_readings_ms * 1e6 / std::max(timed.median_ns(), 1.0)), 1.0, 1e6));
  machine.begin(timed.threads);
  auto before = Clock::now();
  long switches = involuntary_switches();
  auto energy = by_space_.at(timed.space)
                    ->measure(
                        seconds_, steps.iterations,
                        [&] {
                          for (std::int64_t k = 0; k < steps.iterations; ++k) row.run();
                        },
                        [&] {
                          runtime::fence("parallax::energy");
                          const auto now = Clock::now();
                          steps.real_ns.push_back(nanoseconds(now - before) /
                                                  static_cast<double>(steps.iterations));
                          steps.switches.push_back(involuntary_switches() - switches);
                          switches += steps.switches.back();
                          before = now;
                        });
  // Whatever ran beside it was counted, too.
  const auto state = machine.end(steps, {});
  if (energy.missing.empty() && !state.disturbed.empty())
    return unknown("disturbed: " + state.disturbed);
  return energy;
}

}  // namespace parallax
