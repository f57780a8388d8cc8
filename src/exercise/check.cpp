// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/check.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <utility>

namespace parallax::check {
namespace {

const Settings* newest = nullptr;

}  // namespace

Settings::Settings(bool sampled, std::vector<Comparison>* recorder)
    : sampled_(sampled), recorder_(recorder), outer_(std::exchange(newest, this)) {}
Settings::~Settings() { newest = outer_; }
bool Settings::sampled() { return newest != nullptr && newest->sampled_; }
std::vector<Comparison>* Settings::recorder() {
  return newest == nullptr ? nullptr : newest->recorder_;
}

Compared* record(std::int64_t n) {
  auto* const recorder = Settings::recorder();
  return recorder == nullptr ? nullptr : recorder->emplace_back(static_cast<std::size_t>(n)).data();
}

void on_all_cores(std::int64_t n, const std::function<void(std::int64_t)>& f) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  Kokkos::parallel_for(
      "parallax::check",
      Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<std::int64_t>>(
          0, n),
      [&f](std::int64_t i) { f(i); });
  Host().fence("parallax::check");
}

void touch_pages(void* begin, std::size_t bytes) {
  constexpr std::size_t page = 4096, stretch = 512 * page;
  auto* const memory = static_cast<unsigned char*>(begin);
  on_all_cores(static_cast<std::int64_t>((bytes + stretch - 1) / stretch), [=](std::int64_t s) {
    const std::size_t from = static_cast<std::size_t>(s) * stretch;
    for (std::size_t k = from; k < std::min(bytes, from + stretch); k += page) memory[k] = 0;
  });
}

}  // namespace parallax::check
