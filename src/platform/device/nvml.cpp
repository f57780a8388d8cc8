// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/device/nvml.hpp"

#include <cstdint>
#include <utility>

#include "platform/host/shared_library.hpp"

namespace parallax {
namespace {

// The part of nvml.h that is used. Its functions keep their form once they are released.
using Handle = void*;
using Status = int;
constexpr Status success = 0;
constexpr int sm_clock = 1;    // NVML_CLOCK_SM
constexpr int gpu_sensor = 0;  // NVML_TEMPERATURE_GPU

/// Bits of nvmlClocksThrottleReasons. An idle device, and clocks that the user has set, are no
/// throttling.
constexpr std::pair<std::uint64_t, const char*> throttle_reasons[] = {
    {0x04, "power cap"},
    {0x08, "hardware slowdown"},
    {0x10, "clocks kept equal to other GPUs'"},
    {0x20, "too hot (software slowdown)"},
    {0x40, "too hot (hardware slowdown)"},
    {0x80, "power brake"},
};

class Nvml : public DeviceSensors {
 public:
  Nvml(SharedLibrary loaded, Handle device) : nvml_(std::move(loaded)), device_(device) {
    library = "NVML";
    unsigned most = 0;
    const auto get = nvml_.function<Status(Handle, int, unsigned*)>("nvmlDeviceGetMaxClockInfo");
    if (get != nullptr && get(device_, sm_clock, &most) == success) max_mhz = most;
    unsigned now = 0, later = 0;
    const auto mig = nvml_.function<Status(Handle, unsigned*, unsigned*)>("nvmlDeviceGetMigMode");
    shared_ = mig != nullptr && mig(device_, &now, &later) == success && now != 0;
  }

  SensorReading read() override {
    SensorReading reading;
    unsigned number = 0;
    unsigned long long wide = 0;
    if (ask(reading, "mhz", "nvmlDeviceGetClockInfo", sm_clock, &number)) reading.mhz = number;
    if (ask(reading, "watts", "nvmlDeviceGetPowerUsage", &number)) reading.watts = number / 1e3;
    if (ask(reading, "celsius", "nvmlDeviceGetTemperature", gpu_sensor, &number))
      reading.celsius = number;
    if (ask(reading, "joules", "nvmlDeviceGetTotalEnergyConsumption", &wide))
      reading.joules = static_cast<double>(wide) / 1e3;
    if (ask(reading, "throttled", "nvmlDeviceGetCurrentClocksThrottleReasons", &wide))
      for (const auto& [bit, reason] : throttle_reasons)
        if ((wide & bit) != 0) reading.throttled.emplace_back(reason);
    // Of the instances of a GPU only the sum is known.
    if (shared_) {
      reading.watts = reading.joules = std::nullopt;
      reading.missing["watts"] = reading.missing["joules"] =
          "NVML counts the whole GPU, which is divided (MIG)";
    }
    return reading;
  }

 private:
  /// Whether the library answered; what it said instead is noted.
  template <class... Arguments>
  bool ask(SensorReading& reading, const char* quantity, const char* name,
           Arguments... arguments) const {
    const auto get = nvml_.function<Status(Handle, Arguments...)>(name);
    if (get == nullptr) {
      reading.missing[quantity] = "this NVML has no " + std::string(name);
      return false;
    }
    const Status status = get(device_, arguments...);
    if (status != success) reading.missing[quantity] = "NVML: " + words(nvml_, status);
    return status == success;
  }

 public:
  static std::string words(const SharedLibrary& nvml, Status status) {
    const auto text = nvml.function<const char*(Status)>("nvmlErrorString");
    return text != nullptr ? text(status) : "error " + std::to_string(status);
  }

 private:
  SharedLibrary nvml_;
  Handle device_;
  bool shared_ = false;
};

}  // namespace

FoundSensors open_nvml(const std::string& bus_address) {
  const SharedLibrary nvml("PARALLAX_NVML", {"libnvidia-ml.so.1", "libnvidia-ml.so"});
  if (!nvml.error().empty()) return {nullptr, "no NVML: " + nvml.error()};
  const auto init = nvml.function<Status()>("nvmlInit_v2");
  const auto find = nvml.function<Status(const char*, Handle*)>("nvmlDeviceGetHandleByPciBusId_v2");
  if (init == nullptr || find == nullptr) return {nullptr, "this NVML is older than version 2"};
  Handle device = nullptr;
  Status status = init();
  if (status == success) status = find(bus_address.c_str(), &device);
  if (status != success)
    return {nullptr, "NVML: " + Nvml::words(nvml, status) + " (device " + bus_address + ")"};
  return {std::make_unique<Nvml>(nvml, device), ""};
}

}  // namespace parallax
