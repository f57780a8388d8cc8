// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/device/amd_smi.hpp"

#include <cstdint>
#include <utility>

#include "platform/device/pci_address.hpp"
#include "platform/host/shared_library.hpp"

namespace parallax {
namespace {

// The part of amdsmi.h that is used: only functions, since its structures differ between versions.
using Handle = void*;
using Status = int;
constexpr Status amdsmi_success = 0;
constexpr std::uint64_t gpus = 2;               // AMDSMI_INIT_AMD_GPUS
constexpr int edge = 0, hottest_spot = 1;       // AMDSMI_TEMPERATURE_TYPE_
constexpr int measured_now = 0;                 // AMDSMI_TEMP_CURRENT
constexpr std::int64_t hotter_than_any = 1000;  // then they are thousandths of a degree

class AmdSmi : public DeviceSensors {
 public:
  AmdSmi(SharedLibrary loaded, Handle device) : smi_(std::move(loaded)), device_(device) {
    library = "AMD SMI";
  }

  SensorReading read() override {
    SensorReading reading;
    std::int64_t degrees = 0;
    for (const int sensor : {hottest_spot, edge})
      if (!reading.celsius &&
          ask<int, int, std::int64_t*>("amdsmi_get_temp_metric", sensor, measured_now, &degrees))
        reading.celsius = static_cast<double>(degrees) / (degrees > hotter_than_any ? 1e3 : 1.0);
    if (!reading.celsius) reading.missing["celsius"] = "AMD SMI does not say";
    std::uint64_t ticks = 0, timestamp = 0;
    float microjoules = 0;
    if (ask<std::uint64_t*, float*, std::uint64_t*>("amdsmi_get_energy_count", &ticks, &microjoules,
                                                    &timestamp))
      reading.joules = static_cast<double>(ticks) * static_cast<double>(microjoules) / 1e6;
    else
      reading.missing["joules"] = "AMD SMI does not say";
    for (const auto* const quantity : {"watts", "mhz", "throttled"})
      reading.missing[quantity] = "not asked of AMD SMI: its structures differ between versions";
    return reading;
  }

 private:
  template <class... Arguments>
  bool ask(const char* name, Arguments... arguments) const {
    const auto get = smi_.function<Status(Handle, Arguments...)>(name);
    return get != nullptr && get(device_, arguments...) == amdsmi_success;
  }

  SharedLibrary smi_;
  Handle device_;
};

}  // namespace

FoundSensors open_amd_smi(const std::string& bus_address) {
  const SharedLibrary smi("PARALLAX_AMD_SMI",
                          {"libamd_smi.so.26", "libamd_smi.so.25", "libamd_smi.so.24",
                           "libamd_smi.so", "/opt/rocm/lib/libamd_smi.so"});
  if (!smi.error().empty()) return {nullptr, "no AMD SMI: " + smi.error()};
  const auto init = smi.function<Status(std::uint64_t)>("amdsmi_init");
  // A union of 64 bits, which is passed like a number.
  const auto find =
      smi.function<Status(std::uint64_t, Handle*)>("amdsmi_get_processor_handle_from_bdf");
  if (init == nullptr || find == nullptr)
    return {nullptr, "this AMD SMI lacks functions that are needed"};
  if (init(gpus) != amdsmi_success) return {nullptr, "AMD SMI does not start"};
  const auto at = PciAddress::of(bus_address);
  Handle device = nullptr;
  if (!at || find((at->domain << 16) | at->place(), &device) != amdsmi_success || device == nullptr)
    return {nullptr, "AMD SMI knows no device " + bus_address};
  return {std::make_unique<AmdSmi>(smi, device), ""};
}

}  // namespace parallax
