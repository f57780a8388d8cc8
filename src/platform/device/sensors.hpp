// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace parallax {

/// What a processor says of itself at one moment.
struct SensorReading {
  std::optional<double> mhz, watts, celsius;
  std::optional<double> joules;        ///< used since some moment that stays the same
  std::vector<std::string> throttled;  ///< why its clock is held down; empty: it is not
  /// Why a quantity is missing, by its name.
  std::map<std::string, std::string> missing;
};

/// A library that reads one GPU's sensors.
class DeviceSensors {
 public:
  DeviceSensors() = default;
  virtual ~DeviceSensors() = default;
  DeviceSensors(const DeviceSensors&) = delete;
  DeviceSensors& operator=(const DeviceSensors&) = delete;

  virtual SensorReading read() = 0;
  std::string library;
  std::optional<double> max_mhz;  ///< that the device allows
};

/// Either is set.
struct FoundSensors {
  std::unique_ptr<DeviceSensors> sensors;
  std::string unavailable;  ///< why there are none
};

}  // namespace parallax
