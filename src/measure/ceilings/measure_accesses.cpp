// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/ceilings/measure_accesses.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "exercise/outputs.hpp"
#include "measure/ceilings/access_kernels.hpp"
#include "platform/base/interrupt.hpp"
#include "platform/device/spaces.hpp"

namespace parallax {
namespace {

using namespace access_kernels;
using Kinds = std::map<std::string, std::vector<Rung>>;

/// One kind at one size, whose ways are made when they are needed.
struct Step {
  const char* kind;
  double bytes;
  std::function<std::vector<Way>()> ways;
};

/// Where memory begins: four times a host's last cache (STREAM's rule), a GiB on a device; a
/// sixteenth of the free memory at most.
double largest_table(const SpaceInfo& space, const std::vector<Cache>& caches) {
  const double wanted = space.on_host ? 4 * last_level_bytes(caches) : 1073741824.0;
  return std::bit_floor(static_cast<std::uint64_t>(
      std::clamp(wanted, 65536.0, std::max(space.memory_free / 16, 65536.0))));
}

/// Accesses of a run: enough that a launch is a small part of it.
template <class Space>
int bits_of_run(const Space& space) {
  if (!on_host<Space>) return 22;
  return 16 + std::bit_width(std::bit_ceil(static_cast<unsigned>(space.concurrency()))) - 1;
}

/// Copies from and to pinned memory; one of 16 KiB takes as long as asking for it.
template <class Space>
void add_copies(const Space& space, double most, std::vector<Step>& steps) {
  using Pinned = Kokkos::View<std::int64_t*, Kokkos::SharedHostPinnedSpace>;
  const auto words = [](double bytes) { return static_cast<std::size_t>(bytes) / 8; };
  const double largest = std::min(most, 268435456.0);
  const Pinned host(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ceilings"), words(largest));
  const Table<Space, std::int64_t> device(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "ceilings"), words(largest));
  Kokkos::deep_copy(space, device, 0);
  Kokkos::deep_copy(space, host, device);
  for (double bytes = 16384; bytes <= largest; bytes *= 16) {
    const Kokkos::pair<std::size_t, std::size_t> part(0, words(bytes));
    const auto here = Kokkos::subview(host, part);
    const auto there = Kokkos::subview(device, part);
    const auto copy = [=](const auto& to, const auto& from) {
      return [=] { return std::vector<Way>{{[=] { Kokkos::deep_copy(space, to, from); }, bytes}}; };
    };
    steps.push_back({name_of(Access::h2d), bytes, copy(there, here)});
    steps.push_back({name_of(Access::d2h), bytes, copy(here, there)});
  }
}

/// All that is measured. Tables are the beginnings of one that is as large as the largest.
template <class Space>
std::vector<Step> steps_of(const Space& space, double most) {
  const auto words = static_cast<std::int64_t>(most) / 8;
  const Table<Space, std::int64_t> table = data::allocate<std::int64_t>(space, "ceilings", words);
  Kokkos::deep_copy(space, table, 0);
  const int run = bits_of_run(space);
  const auto amount_of = [run](std::int64_t elements) {
    const auto places = std::clamp<std::int64_t>(elements, 4096, std::int64_t{1} << run);
    return Amount{places, (std::int64_t{1} << run) / places};
  };
  std::vector<Step> steps;
  // From one word on: the more words, the less threads wait for each other.
  for (double bytes = 8; bytes <= most; bytes *= bytes < 16384 ? 8 : 4) {
    const double size = bytes < most && 4 * bytes > most ? most : bytes;
    const Amount amount = amount_of(static_cast<std::int64_t>(size) / 8);
    const int bits = std::bit_width(static_cast<std::uint64_t>(amount.places)) - 1;
    const auto at_random = [=] {
      return [=, places = random_places(space, bits)](std::uint32_t mask, std::uint32_t salt) {
        return Anywhere<Space>{places, mask, salt};
      };
    };
    steps.push_back({name_of(Access::atomic), size,
                     [=] { return ways_to_add(space, table, size, amount, at_random()); }});
    if (size >= 4096)
      steps.push_back(
          {name_of(Access::random), size,
           [=] { return ways_to_load(space, table, size, random_places(space, bits), amount); }});
  }
  // In every thread's nearest cache; in the one that all threads of a device share.
  const double near = on_host<Space>
                          ? 512.0 * std::bit_ceil(static_cast<unsigned>(space.concurrency()))
                          : 4194304.0;
  const double area = std::min(near, most);
  const auto in_order = [](std::uint32_t mask, std::uint32_t) { return InOrder{mask}; };
  const auto elements = static_cast<std::int64_t>(area) / 8;
  steps.push_back({name_of(Access::atomic_in_order), area, [=] {
                     const Amount amount{elements, (std::int64_t{1} << run) / elements};
                     return ways_to_add(space, table, area, amount, in_order);
                   }});
  if constexpr (!on_host<Space>) add_copies(space, most, steps);
  return steps;
}

template <class Space>
Kinds measure_in(const SpaceInfo& info, const std::vector<Cache>& caches, const Kinds& earlier) {
  const int most_rounds = earlier.empty() ? 4 : 1;
  const auto options = ceiling_kernels::timing_of_short_round<Space>(3);
  const auto steps = steps_of(Space{}, largest_table(info, caches));
  std::vector<Rounds> found;
  for (const auto& step : steps)
    found.push_back(earlier.contains(step.kind) ? rounds_at(earlier.at(step.kind), step.bytes)
                                                : Rounds());
  // A busy machine is marked, and not waited for.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  for (int round = 0; round < most_rounds; ++round) {
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const bool late = round > 0 && std::chrono::steady_clock::now() > end;
      if (late || found[k].agree()) continue;
      if (interrupted()) return {};
      found[k].add(best_rate(steps[k].ways(), options));
    }
  }
  if (interrupted()) return {};
  Kinds kinds;
  for (std::size_t k = 0; k < steps.size(); ++k)
    kinds[steps[k].kind].push_back({steps[k].bytes, found[k].best(), found[k].agree()});
  return kinds;
}

}  // namespace

Kinds measure_accesses(const SpaceInfo& space, const std::vector<Cache>& caches,
                       const Kinds& earlier) {
  Kinds kinds;
  for_each_built_in_space([&]<class Space>() {
    if (space_name<Space>() == space.name) kinds = measure_in<Space>(space, caches, earlier);
  });
  return kinds;
}

}  // namespace parallax
