// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// A program with its own main that calls a kernel of the suite.
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstdio>

#include "increment/lesson.hpp"

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Kokkos::View<std::int32_t*> data("data", 1003);
  parallax::kernels::increment::range(Kokkos::DefaultExecutionSpace(), data);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), data);
  int ones = 0;
  for (int i = 0; i < 1003; ++i) ones += host(i) == 1 ? 1 : 0;
  std::printf("%d ones\n", ones);
  return ones == 1003 ? 0 : 1;
}
