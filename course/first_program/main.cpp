// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// A first program with Kokkos, on its own: y = 2 x + 1, computed on the device and checked on the
// host.
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstdlib>

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard kokkos(argc, argv);  // Kokkos runs from here to the end of main
  const int n = 1000000;

  // Two arrays in the device's memory, all zeros, and for each a mirror that the host can use.
  Kokkos::View<double*> x("x", n);
  Kokkos::View<double*> y("y", n);
  auto x_host = Kokkos::create_mirror_view(x);
  auto y_host = Kokkos::create_mirror_view(y);

  for (int i = 0; i < n; ++i) x_host(i) = i;
  Kokkos::deep_copy(x, x_host);  // host to device

  for (int run = 1; run <= 3; ++run) {
    Kokkos::Timer timer;
    // The kernel: the body of the loop, for each i from 0 to n - 1, in any order.
    Kokkos::parallel_for(
        "first_program", n, KOKKOS_LAMBDA(int i) { y(i) = 2 * x(i) + 1; });
    const double launched = timer.seconds();
    Kokkos::fence("first_program");  // waits until the kernel is done
    const double done = timer.seconds();
    std::printf("run %d: launched after %.1f us, done after %.1f us\n", run, 1e6 * launched,
                1e6 * done);
  }

  Kokkos::deep_copy(y_host, y);  // device to host
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    if (y_host(i) != 2.0 * i + 1) ++wrong;
  std::printf("%s: %d of %d elements are wrong\n", Kokkos::DefaultExecutionSpace::name(), wrong, n);
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
