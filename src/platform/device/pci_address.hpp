// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace parallax {

/// Where a device is on the PCI bus.
struct PciAddress {
  std::uint64_t domain = 0, bus = 0, device = 0, function = 0;

  /// Of "0000:65:00.0"; nothing of another text.
  static std::optional<PciAddress> of(const std::string& text) {
    unsigned domain = 0, bus = 0, device = 0, function = 0;
    if (std::sscanf(text.c_str(), "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4)
      return std::nullopt;
    return PciAddress{domain, bus, device, function};
  }

  /// In its domain, in 16 bits: 8 of the bus, 5 of the device, 3 of the function.
  [[nodiscard]] std::uint64_t place() const { return (bus << 8) | (device << 3) | function; }
};

}  // namespace parallax
