// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/device/view_label.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cctype>
#include <cstring>

namespace parallax {

std::string label_of(const unsigned char* block, std::size_t bytes) {
  using Header = Kokkos::Impl::SharedAllocationHeader;
  if (bytes >= sizeof(Header)) {
    const char* const label = reinterpret_cast<const Header*>(block)->label();
    const std::string text(label, strnlen(label, sizeof(Header) - sizeof(void*)));
    if (!text.empty() &&
        std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isprint(c) != 0; }))
      return text;
  }
  return "memory of " + std::to_string(bytes) + " bytes";
}

}  // namespace parallax
