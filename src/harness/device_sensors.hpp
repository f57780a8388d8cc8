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

/// Both find the device by its address on the PCI bus, "0000:65:00.0": CUDA and HIP number devices
/// in another order than the libraries of the drivers.
/// NVIDIA's NVML; PARALLAX_NVML names another file than libnvidia-ml.so.1.
FoundSensors open_nvml(const std::string& bus_address);
/// AMD's ROCm SMI; PARALLAX_ROCM_SMI names another file than librocm_smi64.so.
FoundSensors open_rocm_smi(const std::string& bus_address);

}  // namespace parallax
