// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/device/bus_address.hpp"

#include "platform/device/device_clock.hpp"

namespace parallax {

std::string device_bus_address() { return bindings::device_bus_address(); }

}  // namespace parallax
