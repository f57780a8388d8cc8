// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/ceilings/measure_ladder.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>

#include "exercise/outputs.hpp"
#include "measure/ceilings/ceiling_kernels.hpp"
#include "measure/ceilings/measure_accesses.hpp"
#include "platform/base/error.hpp"
#include "platform/base/interrupt.hpp"
#include "platform/device/spaces.hpp"
#include "platform/host/host.hpp"

namespace parallax {
namespace {

using namespace ceiling_kernels;

/// Working sets, from 16 KiB on, each twice the last.
std::vector<std::size_t> sizes_up_to(double most) {
  std::vector<std::size_t> sizes;
  for (double bytes = 16384; bytes < most; bytes *= 2)
    sizes.push_back(static_cast<std::size_t>(bytes));
  sizes.push_back(static_cast<std::size_t>(most));
  return sizes;
}

/// Every kind of traffic in arrays of `bytes` bytes together.
template <class Space>
std::map<std::string, std::vector<Way>> ways_at(const Space& space, std::size_t bytes) {
  // A third of the wide elements, a multiple of what a streamed piece has where that is possible.
  const auto part = [&](std::size_t parts) {
    const std::size_t wide = bytes / sizeof(Wide) / parts;
    const std::size_t whole = wide >= 16 * streamed ? streamed : 8;
    const auto n = static_cast<std::int64_t>(wide / whole * whole);
    const Block<Space> a = data::allocate<Wide>(space, "ceilings", n);
    assign<1>("parallax::ceilings::write", space, a, Constant{});
    return a;
  };
  const Block<Space> thirds[3] = {part(3), part(3), part(3)};
  const Block<Space> halves[2] = {part(2), part(2)};
  const Block<Space> all = part(1);
  return {{"triad", ways_to_triad(space, thirds[0], thirds[1], thirds[2])},
          {"copy", ways_to_copy(space, halves[0], halves[1])},
          {"read", ways_to_read(space, all)},
          {"write", ways_to_write(space, all)},
          {"update", ways_to_update(space, all)}};
}

template <class Space>
Way launch(const Space& space) {
  return {[=] {
            Kokkos::parallel_for("parallax::ceilings::launch", Policy<Space>(space, 0, 1),
                                 KOKKOS_LAMBDA(std::int64_t){});
          },
          1};
}

struct Found {
  std::map<std::string, std::vector<Rounds>> kinds;
  Rounds launch;
};

/// One round: those that agree already are left alone. Whether all do.
template <class Space>
bool take_round(const Space& space, const std::vector<std::size_t>& sizes, Found& found) {
  const auto options = timing_of_short_round<Space>(1);
  bool agree = true;
  if (!found.launch.agree()) found.launch.add(rate(launch(space), options));
  agree = found.launch.agree();
  for (std::size_t k = 0; k < sizes.size() && !interrupted(); ++k) {
    const auto wanted = [&](const char* kind) { return !found.kinds[kind][k].agree(); };
    if (std::none_of(std::begin(ladder_kinds), std::end(ladder_kinds), wanted)) continue;
    for (const auto& [kind, ways] : ways_at(space, sizes[k])) {
      if (!wanted(kind.c_str()) || interrupted()) continue;
      found.kinds[kind][k].add(best_rate(ways, options));
      agree = agree && found.kinds[kind][k].agree();
    }
  }
  return agree;
}

template <class Space>
Ladder measure_in(const SpaceInfo& info, const std::vector<Cache>& caches, const Ladder& earlier) {
  const int most_rounds = earlier.kinds.size() < std::size(ladder_kinds) ? 6 : 1;
  auto sizes = sizes_up_to(ladder_top(info, caches));
  Found found;
  if (!earlier.empty()) {
    found.launch = Rounds(earlier.launch);
    sizes.clear();
    for (const auto& rung : earlier.kinds.begin()->second)
      sizes.push_back(static_cast<std::size_t>(rung.bytes));
  }
  for (const char* kind : ladder_kinds)
    for (const auto size : sizes)
      found.kinds[kind].push_back(earlier.kinds.contains(kind)
                                      ? rounds_at(earlier.kinds.at(kind), static_cast<double>(size))
                                      : Rounds());
  // A busy machine is marked, and not waited for.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  for (int round = 0; round < most_rounds; ++round) {
    if (take_round(Space{}, sizes, found)) break;
    if (interrupted()) return {};
    if (round > 0 && std::chrono::steady_clock::now() > end) break;
  }
  Ladder ladder;
  for (const auto& [kind, rounds] : found.kinds)
    for (std::size_t k = 0; k < sizes.size(); ++k)
      ladder.kinds[kind].push_back(
          {static_cast<double>(sizes[k]), rounds[k].best(), rounds[k].agree()});
  ladder.launch = {0, found.launch.best(), found.launch.agree()};
  ladder.date = now();
  ladder.host = host_name();
  return ladder;
}

}  // namespace

Ladder measure_ladder(const SpaceInfo& space, const std::vector<Cache>& caches,
                      const Ladder& earlier) {
  Ladder ladder;
  try {
    for_each_built_in_space([&]<class Space>() {
      if (space_name<Space>() == space.name) ladder = measure_in<Space>(space, caches, earlier);
    });
    if (!ladder.empty()) ladder.accesses = measure_accesses(space, caches, earlier.accesses);
  } catch (const std::exception& error) {
    if (!is_out_of_memory(error)) throw;
  }
  return ladder;
}

}  // namespace parallax
