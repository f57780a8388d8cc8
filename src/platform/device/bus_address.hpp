// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parallax {

/// "0000:4b:00.0", where the device of this process is on the PCI bus; "" without a device. Kokkos
/// is initialised.
std::string device_bus_address();

}  // namespace parallax
