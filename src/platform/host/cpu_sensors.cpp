// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/host/cpu_sensors.hpp"

#include <algorithm>
#include <utility>

#include "platform/host/system_files.hpp"

namespace parallax {
namespace {

using system_files::entries, system_files::first_line, system_files::number;

constexpr std::size_t most_frequencies = 4;

}  // namespace

CpuSensors::CpuSensors(std::string root) : root_(std::move(root)), packages_(root_, "package") {
  for (const auto& cpu : entries(root_ + "/sys/devices/system/cpu", "cpu")) {
    // Older kernels sleep some milliseconds before they answer for an idle CPU.
    if (const auto file = cpu + "/cpufreq/scaling_cur_freq";
        frequencies_.size() < most_frequencies && number(file)) {
      frequencies_.push_back(file);
      if (const auto khz = number(cpu + "/cpufreq/scaling_max_freq"))
        max_mhz = std::max(max_mhz.value_or(0), *khz / 1e3);
      governor = first_line(cpu + "/cpufreq/scaling_governor").value_or("");
    }
    if (const auto file = cpu + "/thermal_throttle/core_throttle_count"; number(file))
      throttle_counts_.push_back(file);
  }
  for (const auto& zone : entries(root_ + "/sys/class/thermal", "thermal_zone"))
    if (first_line(zone + "/type") == "x86_pkg_temp") temperatures_.push_back(zone + "/temp");
  // AMD's and Arm's.
  if (temperatures_.empty())
    for (const auto& chip : entries(root_ + "/sys/class/hwmon", "hwmon"))
      if (const auto name = first_line(chip + "/name");
          name == "k10temp" || name == "coretemp" || name == "cpu_thermal")
        temperatures_.push_back(chip + "/temp1_input");
  for (const auto& file : throttle_counts_) throttled_before_ += number(file).value_or(0);
}

SensorReading CpuSensors::read() {
  SensorReading reading;
  double khz = 0;
  for (const auto& file : frequencies_) khz += number(file).value_or(0);
  if (khz > 0)
    reading.mhz = khz / 1e3 / static_cast<double>(frequencies_.size());
  else
    reading.missing["mhz"] = "no cpufreq";

  reading.joules = packages_.joules();
  if (!reading.joules) reading.missing["joules"] = packages_.missing();

  for (const auto& file : temperatures_)
    if (const auto millidegrees = number(file))
      reading.celsius = std::max(reading.celsius.value_or(-1e9), *millidegrees / 1e3);
  if (!reading.celsius) reading.missing["celsius"] = "no thermal zone of the processor";

  double throttled = 0;
  for (const auto& file : throttle_counts_) throttled += number(file).value_or(0);
  if (throttled > throttled_before_) reading.throttled.emplace_back("a core was too hot");
  throttled_before_ = throttled;
  if (throttle_counts_.empty()) reading.missing["throttled"] = "no counters of thermal throttling";
  return reading;
}

}  // namespace parallax
