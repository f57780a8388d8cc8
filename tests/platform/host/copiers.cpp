// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/host/copiers.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <thread>
#include <vector>

using namespace parallax;

TEST_CASE("a few threads copy every byte, one copy after the other") {
  for (const int threads : {0, 1, 3}) {
    Copiers copiers(threads, allowed_processors());
    for (const std::size_t n : {0u, 1u, 131'071u, 131'072u, 131'073u, 3'000'001u, 5u}) {
      std::vector<std::uint8_t> from(n), to(n + 1, 0x55);
      for (std::size_t i = 0; i < n; ++i) from[i] = static_cast<std::uint8_t>(i % 251 + threads);
      copiers.copy(to.data(), from.data(), n);
      INFO(threads << " threads, " << n << " bytes");
      CHECK(std::equal(from.begin(), from.end(), to.begin()));
      CHECK(to[n] == 0x55);
    }
  }
}

TEST_CASE("threads that copy stay apart from one copy to the next, and may sleep in between") {
  Copiers copiers(3, allowed_processors());
  std::vector<std::uint32_t> from(1 << 16), to(from.size());
  std::size_t wrong = 0;
  for (std::uint32_t k = 0; k < 300; ++k) {
    std::fill(from.begin(), from.end(), k);
    copiers.copy(to.data(), from.data(), from.size() * sizeof k);
    wrong += to == from ? 0 : 1;
    if (k % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(wrong == 0);
}

TEST_CASE("where no more threads can be made, fewer copy") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  SKIP("a sanitizer needs the address space");
#endif
  const std::vector<std::uint8_t> from(3'000'001, 7);
  std::vector<std::uint8_t> to(from.size());
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  // Room for the stacks of a few threads.
  const rlimit some{pages * 4096 + (rlim_t{32} << 20), before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_AS, &some) == 0);
  {
    Copiers copiers(200, allowed_processors());
    copiers.copy(to.data(), from.data(), from.size());
  }
  REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(to == from);
}
