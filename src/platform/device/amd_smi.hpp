// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/device/sensors.hpp"

namespace parallax {

/// Finds the device by its address on the PCI bus, as open_nvml does, with ROCm SMI's successor.
/// PARALLAX_AMD_SMI names another file than libamd_smi.so.
FoundSensors open_amd_smi(const std::string& bus_address);

}  // namespace parallax
