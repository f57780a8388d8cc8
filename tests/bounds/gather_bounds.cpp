// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// gather's unchecked kernel in a program whose Views check every access
// (KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK, set by tests/CMakeLists.txt only for this program: it changes
// Kokkos's headers, not its library). With indices in range it gathers; with the course's, it is
// stopped at the first that is not, with the View's label.
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <string>

#include "gather/lesson.hpp"

#if !defined(KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK)
#error "this program is built with KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK"
#endif

int main(int argc, char* argv[]) {
  const bool beyond = argc > 1 && std::string(argv[1]) == "beyond";
  const Kokkos::ScopeGuard guard(argc, argv);
  const Kokkos::DefaultHostExecutionSpace space;
  const Kokkos::View<double*, Kokkos::HostSpace> array("the_array", 6), out("out", 6);
  const Kokkos::View<std::int64_t*, Kokkos::HostSpace> index("index", 6);
  const std::int64_t indices[] = {2, 3, 5, 6, 7, 8};
  for (int i = 0; i < 6; ++i) {
    array(i) = 1.1 * i;
    index(i) = beyond ? indices[i] : 5 - i;
  }
  parallax::kernels::gather::unchecked(space, array, index, out);
  space.fence();
  for (int i = 0; i < 6; ++i)
    if (out(i) != 1.1 * (5 - i)) {
      std::puts("not stopped");
      return 1;
    }
  std::puts("gathered");
}
