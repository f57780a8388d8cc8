// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/host/cpu_sensors.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

namespace parallax {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_frequencies = 4;

/// The folders in `folder` whose names begin with `prefix`, in order of their names; none where it
/// cannot be read.
std::vector<std::string> folders(const std::string& folder, const std::string& prefix) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().rfind(prefix, 0) == 0)
      found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<double> number(const std::string& file) {
  double value = 0;
  if (std::ifstream(file) >> value) return value;
  return std::nullopt;
}

std::string word(const std::string& file) {
  std::string text;
  std::ifstream(file) >> text;
  return text;
}

}  // namespace

CpuSensors::CpuSensors(std::string root) : root_(std::move(root)), packages_(root_, "package") {
  for (const auto& cpu : folders(root_ + "/sys/devices/system/cpu", "cpu")) {
    // Older kernels sleep some milliseconds before they answer for a CPU that rests.
    if (const auto file = cpu + "/cpufreq/scaling_cur_freq";
        frequencies_.size() < most_frequencies && number(file)) {
      frequencies_.push_back(file);
      if (const auto khz = number(cpu + "/cpufreq/scaling_max_freq"))
        max_mhz = std::max(max_mhz.value_or(0), *khz / 1e3);
      governor = word(cpu + "/cpufreq/scaling_governor");
    }
    if (const auto file = cpu + "/thermal_throttle/core_throttle_count"; number(file))
      throttle_counts_.push_back(file);
  }
  for (const auto& zone : folders(root_ + "/sys/class/thermal", "thermal_zone"))
    if (word(zone + "/type") == "x86_pkg_temp") temperatures_.push_back(zone + "/temp");
  // AMD's and Arm's.
  if (temperatures_.empty())
    for (const auto& chip : folders(root_ + "/sys/class/hwmon", "hwmon"))
      if (const auto name = word(chip + "/name");
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
