// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/rows.hpp"

namespace parallax::test {
namespace {

std::vector<std::string>* recorded = nullptr;

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

}  // namespace parallax::test
