// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// circle_area: darts on the circle and next to it, which no run of feasible length throws.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <vector>

#include "circle_area/reference.hpp"
#include "exercise/api.hpp"
#include "random/xoroshiro.hpp"

namespace parallax::circle_area {

/// Streams whose first darts are near the circle. Outside: three on it, (1, 0), (-1, 0) and (0, 1),
/// and two that single precision may put inside. Inside: two that it may put outside. Found by a
/// search. Each 16th is far from the circle, on the same side: no lane of `xoroshiro_wide` may rely
/// on another's doubt. They are more streams than one of its threads takes at once, and a
/// remainder.
inline std::vector<reference::Xoroshiro> streams_at_the_edge(bool inside) {
  using Streams = std::vector<reference::Xoroshiro>;
  const auto near = inside ? Streams{{0x8FA5384E7A583D73, 0x01CD63EEE7A69FC7},
                                     {0x4EFC8B70EE46E6AB, 0x0ABB06808F75097F}}
                           : Streams{{0xFFFFD65B3FC384FF, 0x000029A4C03C7B00},
                                     {0xFFFFD65B3FC384FF, 0x000029A4C03C7B01},
                                     {0xFFFFD65B3FC384FF, 0x800029A4C03C7B01},
                                     {0xDC40CBDB1E1D632C, 0x77437B811D7A96A2},
                                     {0xC2894DA115C624B9, 0x43826CAAE1F15F88}};
  const reference::Xoroshiro far{0x0123456789ABCDEF,
                                 inside ? 0x0FEDCBA987654321 : 0xFEDCBA9876543210};
  Streams streams;
  for (std::size_t i = 0; i < 37; ++i)
    streams.push_back(i % 16 == 15 ? far : near[i % near.size()]);
  return streams;
}

/// Whether a kernel decides the darts of these streams correctly: kernel(states, trials, hits). Of
/// each side by itself, so that mistakes do not cancel.
template <class Space, class Kernel>
Verdict streams_at_the_edge_by(const Space& space, const Kernel& kernel) {
  const auto decided = [&](const char* darts, bool inside) {
    const auto edge = streams_at_the_edge(inside);
    const auto trials = static_cast<std::int64_t>(edge.size());
    const data::Array<Space, random::Xoroshiro> states("streams at the edge", edge.size());
    const auto copy = Kokkos::create_mirror_view(states);
    for (std::size_t i = 0; i < edge.size(); ++i) copy(i) = {edge[i].s0, edge[i].s1};
    Kokkos::deep_copy(states, copy);
    const double found = hits_of(space, [&](const auto& to) { kernel(states, trials, to); });
    return check::number(darts, found, static_cast<double>(hits_xoroshiro(edge, trials).hits), 0);
  };
  return check::both(decided("darts inside the circle, next to it", true),
                     decided("darts on the circle and outside", false));
}

/// Whether `inside` decides darts of `philox` on the circle, next to it and in the corner
/// correctly. The last two coordinates are a dart too near to the circle for doubles to decide.
template <class Inside>
Verdict coordinates_at_the_edge_by(const Inside& inside) {
  constexpr std::uint32_t edge[] = {0,          1,          0x7FFFFFFF, 0x80000000,
                                    0x80000001, 0xFFFFFFFF, 0x5DB9700D, 0x572D2F81};
  int wrong = 0;
  for (const auto u : edge)
    for (const auto v : edge) wrong += (inside(u, v) != 0) == hits_circle(u, v) ? 0 : 1;
  return check::number("darts on and near the circle", wrong, 0, 0);
}

/// A pool whose darts all land at (x, 0), and which counts the numbers that are drawn from it.
template <class Space>
struct PoolOfOne {
  struct Generator {
    float x;
    std::int64_t drawn = 0;
    KOKKOS_FUNCTION float frand() { return ++drawn % 2 == 1 ? (x + 1) / 2 : 0.5F; }
  };
  float x;
  data::Scalar<Space, std::int64_t> drawn;
  KOKKOS_FUNCTION Generator get_state() const { return {x}; }
  KOKKOS_FUNCTION void free_state(const Generator& generator) const {
    Kokkos::atomic_add(&drawn(), generator.drawn);
  }
};

/// Numbers from a pool are not known; from a `PoolOfOne` they are, and how many it takes, two for
/// each dart: kernel(pool, hits).
template <class Space, class Kernel>
Verdict pools_of_one_by(const Space& space, std::int64_t trials, const Kernel& kernel) {
  const auto all = static_cast<double>(trials);
  const auto darts_at = [&](float x, const char* where, double hits) {
    const data::Scalar<Space, std::int64_t> drawn("numbers drawn");
    const double found = hits_of(space, [&](const auto& to) {
      kernel(PoolOfOne<Space>{x, drawn}, to);
    });
    return check::both(check::number(where, found, hits, 0),
                       check::number("two numbers for each dart",
                                     static_cast<double>(data::on_host(drawn)()), 2 * all, 0));
  };
  return check::both(darts_at(0, "darts in the middle", all),
                     darts_at(1, "darts on the circle", 0));
}

}  // namespace parallax::circle_area
