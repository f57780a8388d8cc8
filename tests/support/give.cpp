// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>

#include "exercise/guard_zones.hpp"
#include "platform/device/spaces.hpp"
#include "support/rows.hpp"

namespace parallax::test {

void give(const Row& row, const std::string& label, const void* from, std::size_t bytes) {
  for (const auto& array : *row.arrays) {
    if (array.label != label) continue;
    REQUIRE(array.bytes == bytes);
    for_each_built_in_space([&]<class Space>() {
      using Memory = typename Space::memory_space;
      if (array.memory != Memory::name()) return;
      Kokkos::deep_copy(
          Kokkos::View<unsigned char*, Memory, Kokkos::MemoryUnmanaged>(array.begin, bytes),
          Kokkos::View<const unsigned char*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
              static_cast<const unsigned char*>(from), bytes));
    });
    return;
  }
  FAIL("no array " << label);
}

std::vector<double> outcome(const Row& row) {
  const auto& output = row.judge.outputs.at(0);
  output.poison();
  row.run();
  Kokkos::fence();
  const auto found = output.read();
  return {found.begin(), found.end()};
}

}  // namespace parallax::test
