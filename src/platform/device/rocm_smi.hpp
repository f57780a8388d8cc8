// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/device/sensors.hpp"

namespace parallax {

/// Finds the device by its address on the PCI bus, as open_nvml does. PARALLAX_ROCM_SMI names
/// another file than librocm_smi64.so.
FoundSensors open_rocm_smi(const std::string& bus_address);

}  // namespace parallax
