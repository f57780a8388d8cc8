// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/device/runtime.hpp"

#include <Kokkos_Core.hpp>
#include <impl/Kokkos_Command_Line_Parsing.hpp>
#include <regex>
#include <sstream>

namespace parallax::runtime {

void initialize(int& argc, char** argv) {
  Kokkos::Impl::do_not_warn_not_recognized_command_line_argument(std::regex(".*"));
  Kokkos::initialize(argc, argv);
}
void finalize() { Kokkos::finalize(); }
void fence(const char* label) { Kokkos::fence(label); }
int num_devices() { return Kokkos::num_devices(); }

std::string version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) +
         "." + std::to_string(KOKKOS_VERSION % 100);
}

std::string configuration() {
  std::ostringstream out;
  Kokkos::print_configuration(out);
  return out.str();
}

}  // namespace parallax::runtime
