// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "exercise/team_size.hpp"
#include "support/rows.hpp"

namespace parallax::test {
namespace {

std::vector<std::string>* recorded = nullptr;
const Allocations* told = nullptr;

bool on_host(const Kokkos::Tools::SpaceHandle& space) {
  return std::strstr(space.name, "Host") != nullptr;  // pinned memory too
}

void allocated(const Kokkos::Tools::SpaceHandle space, const char*, const void*,
               std::uint64_t bytes) {
  (*told)(on_host(space), static_cast<std::int64_t>(bytes));
}

void deallocated(const Kokkos::Tools::SpaceHandle space, const char*, const void*,
                 std::uint64_t bytes) {
  (*told)(on_host(space), -static_cast<std::int64_t>(bytes));
}

void record(const char* label, std::uint32_t, std::uint64_t*) { recorded->emplace_back(label); }

}  // namespace

std::vector<std::string> labels_of(const std::function<void()>& f) {
  namespace Tools = Kokkos::Tools::Experimental;
  std::vector<std::string> labels;
  recorded = &labels;
  const auto before = Tools::get_callbacks();
  Tools::set_begin_parallel_for_callback(record);
  Tools::set_begin_parallel_reduce_callback(record);
  Tools::set_begin_parallel_scan_callback(record);
  f();
  Kokkos::fence("parallax::test::labels_of");
  Tools::set_callbacks(before);
  recorded = nullptr;
  return labels;
}

void with_allocations(const Allocations& tell, const std::function<void()>& f) {
  namespace Tools = Kokkos::Tools::Experimental;
  told = &tell;
  const auto before = Tools::get_callbacks();
  Tools::set_allocate_data_callback(allocated);
  Tools::set_deallocate_data_callback(deallocated);
  f();
  Tools::set_callbacks(before);
  told = nullptr;
}

int largest_team(const std::string& space) {
  int size = 0;
  for_each_built_in_space([&]<class Space>() {
    if (space_name<Space>() == space) size = parallax::largest_team<Space>();
  });
  return size;
}

}  // namespace parallax::test
