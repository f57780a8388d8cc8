// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/device/rocm_smi.hpp"

#include <cstdint>
#include <utility>

#include "platform/device/pci_address.hpp"
#include "platform/host/shared_library.hpp"

namespace parallax {
namespace {

// The part of rocm_smi.h that is used: only functions, since its structures differ between
// versions. That leaves out the clock, which a kernel measures, and why it is held down.
using Status = int;
constexpr Status rsmi_success = 0;
constexpr int current = 0;  // RSMI_TEMP_CURRENT

class RocmSmi : public DeviceSensors {
 public:
  RocmSmi(SharedLibrary loaded, std::uint32_t device) : smi_(std::move(loaded)), device_(device) {
    library = "ROCm SMI";
  }

  SensorReading read() override {
    SensorReading reading;
    std::uint64_t microwatts = 0, ticks = 0, timestamp = 0;
    float microjoules = 0;
    // Of a socket on MI300, of a card before it.
    if (ask<std::uint64_t*>("rsmi_dev_current_socket_power_get", &microwatts) ||
        ask<std::uint32_t, std::uint64_t*>("rsmi_dev_power_ave_get", 0, &microwatts))
      reading.watts = static_cast<double>(microwatts) / 1e6;
    else
      reading.missing["watts"] = "ROCm SMI does not say";
    // Of the hottest spot where the device says it, else of the edge.
    std::int64_t millidegrees = 0;
    for (const std::uint32_t sensor : {1U, 0U})
      if (!reading.celsius && ask<std::uint32_t, int, std::int64_t*>(
                                  "rsmi_dev_temp_metric_get", sensor, current, &millidegrees))
        reading.celsius = static_cast<double>(millidegrees) / 1e3;
    if (!reading.celsius) reading.missing["celsius"] = "ROCm SMI does not say";
    if (ask<std::uint64_t*, float*, std::uint64_t*>("rsmi_dev_energy_count_get", &ticks,
                                                    &microjoules, &timestamp))
      reading.joules = static_cast<double>(ticks) * static_cast<double>(microjoules) / 1e6;
    else
      reading.missing["joules"] = "ROCm SMI does not say";
    reading.missing["mhz"] = "not asked of ROCm SMI: its structures differ between versions";
    reading.missing["throttled"] = reading.missing["mhz"];
    return reading;
  }

 private:
  template <class... Arguments>
  bool ask(const char* name, Arguments... arguments) const {
    const auto get = smi_.function<Status(std::uint32_t, Arguments...)>(name);
    return get != nullptr && get(device_, arguments...) == rsmi_success;
  }

  SharedLibrary smi_;
  std::uint32_t device_;
};

}  // namespace

FoundSensors open_rocm_smi(const std::string& bus_address) {
  const SharedLibrary smi("PARALLAX_ROCM_SMI",
                          {"librocm_smi64.so.7", "librocm_smi64.so.1", "librocm_smi64.so",
                           "/opt/rocm/lib/librocm_smi64.so"});
  if (!smi.error().empty()) return {nullptr, "no ROCm SMI: " + smi.error()};
  const auto init = smi.function<Status(std::uint64_t)>("rsmi_init");
  const auto count = smi.function<Status(std::uint32_t*)>("rsmi_num_monitor_devices");
  const auto id_of = smi.function<Status(std::uint32_t, std::uint64_t*)>("rsmi_dev_pci_id_get");
  if (init == nullptr || count == nullptr || id_of == nullptr)
    return {nullptr, "this ROCm SMI lacks functions that are needed"};
  std::uint32_t devices = 0;
  std::uint64_t id = 0;
  if (init(0) != rsmi_success || count(&devices) != rsmi_success)
    return {nullptr, "ROCm SMI does not start"};
  // Bits 28 to 31 are the partition of the device.
  constexpr std::uint64_t place = ~(std::uint64_t{0xF} << 28);
  const auto wanted = PciAddress::of(bus_address);
  for (std::uint32_t k = 0; wanted && k < devices; ++k)
    if (id_of(k, &id) == rsmi_success && (id & place) == ((wanted->domain << 32) | wanted->place()))
      return {std::make_unique<RocmSmi>(smi, k), ""};
  return {nullptr, "ROCm SMI knows no device " + bus_address};
}

}  // namespace parallax
