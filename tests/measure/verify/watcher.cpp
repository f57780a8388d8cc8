// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/verify/watcher.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cctype>

using namespace parallax;

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Array = Kokkos::View<int*, Host>;

struct Twice {
  Array a;
  KOKKOS_FUNCTION void operator()(int i) const { a(i) *= 2; }
  KOKKOS_FUNCTION void operator()(int i, int& sum) const { sum += a(i); }
  KOKKOS_FUNCTION void operator()(int i, int& sum, bool last) const {
    sum += a(i);
    if (last) a(i) = sum;
  }
};

std::string kokkos_name() {
  std::string name = Host::name();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return name;
}

}  // namespace

TEST_CASE("kernels are counted by the space that ran them") {
  const Array a("a", 9);
  const Kokkos::RangePolicy<Host> all(0, 9);
  const auto launches = launches_of([&] {
    Kokkos::parallel_for("for", all, Twice{a});
    Kokkos::parallel_for(all, Twice{a});
    int sum = 0;
    Kokkos::parallel_reduce("reduce", all, Twice{a}, sum);
    Kokkos::parallel_scan("scan", all, Twice{a});
  });
  CHECK(launches == Launches{{kokkos_name(), 4}});
}

TEST_CASE("a loop on the host is no kernel, nor is what Kokkos does to views") {
  const Array a("a", 9), b("b", 9);
  CHECK(launches_of([&] {
          for (int i = 0; i < 9; ++i) a(i) = i;
          Kokkos::deep_copy(Host(), a, 1);
          Kokkos::deep_copy(b, a);
          const Array c("c", 10'000);
          b(0) = c(0);
        }).empty());
}

TEST_CASE("a tool that was loaded before hears of kernels again") {
  static int heard = 0;
  const Array a("a", 9);
  const Kokkos::RangePolicy<Host> all(0, 9);
  namespace tools = Kokkos::Tools::Experimental;
  const auto before = tools::get_callbacks();
  tools::set_begin_parallel_for_callback(
      [](const char*, std::uint32_t, std::uint64_t*) { ++heard; });
  (void)launches_of([&] { Kokkos::parallel_for("seen", all, Twice{a}); });
  CHECK(heard == 0);
  Kokkos::parallel_for("heard", all, Twice{a});
  CHECK(heard == 1);
  tools::set_callbacks(before);
}
