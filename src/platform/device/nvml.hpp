// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/device/sensors.hpp"

namespace parallax {

/// Finds the device by its address on the PCI bus, "0000:65:00.0": CUDA numbers devices in another
/// order than NVML. PARALLAX_NVML names another file than libnvidia-ml.so.1.
FoundSensors open_nvml(const std::string& bus_address);

}  // namespace parallax
