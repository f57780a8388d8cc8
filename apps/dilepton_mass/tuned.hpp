// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// dilepton_mass: the invariant mass of a pair of leptons of opposite charge in each event,
//
//   m = sqrt(2 pt1 pt2 (cosh(eta1 - eta2) - cos(phi1 - phi2))),
//
// the largest over an event's pairs (`heaviest`, 0 if there is none) or the first pair's (`first`,
// -1 if none). Events are ragged: event i has leptons offsets[i] .. offsets[i+1], of charge -1 or 1
// (0: not to be used). An event of m leptons has m (m - 1) / 2 pairs, so one large event outweighs
// millions of small ones: `balanced` sorts events by what they need as it meets them.
//
// The difference in the formula loses all digits for leptons close together. Since cosh x - 1 = 2
// sinh^2(x/2) and 1 - cos y = 2 sin^2(y/2), m = 2 sqrt(pt1 pt2 (sinh^2(deta/2) + sin^2(dphi/2))), a
// sum of squares, is what we compute.
//
// Work: offsets and leptons read once, masses written once. Bandwidth is the ceiling for events of
// a few leptons.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "device/sine.hpp"
#include "device/tuning.hpp"

namespace parallax::kernels::dilepton_mass {

enum class Pair { heaviest, first };

/// The columns of all events' leptons: transverse momentum (GeV), pseudorapidity, azimuth (rad),
/// charge.
template <class Space, class T>
struct Leptons {
  template <class X>
  using Column = Kokkos::View<const X*, typename Space::memory_space>;
  Column<T> pt, eta, phi;
  Column<std::int8_t> charge;

  KOKKOS_FUNCTION bool opposite(std::int64_t i, std::int64_t j) const {
    return charge(i) * charge(j) < 0;
  }
  /// A quarter of the squared mass of a pair.
  KOKKOS_FUNCTION T quarter_m2(std::int64_t i, std::int64_t j) const {
    const T a = Kokkos::sinh(T(0.5) * (eta(i) - eta(j))), b = sine(T(0.5) * (phi(i) - phi(j)));
    return pt(i) * pt(j) * (a * a + b * b);
  }
  KOKKOS_FUNCTION T mass(T quarter) const { return T(2) * Kokkos::sqrt(quarter); }
};

/// The first pair in the order (0,1), (0,2), ..., (1,2), ... is that of the first charged lepton
/// with the first of the opposite charge, if there is one at all: a search through the event, not
/// through its pairs.
template <class Space, class T>
KOKKOS_FUNCTION T first_pair(const Leptons<Space, T>& leptons, std::int64_t i, std::int64_t end) {
  while (i < end && leptons.charge(i) == 0) ++i;
  for (std::int64_t j = i + 1; j < end; ++j)
    if (leptons.opposite(i, j)) return leptons.mass(leptons.quarter_m2(i, j));
  return T(-1);
}

template <class Space, class T>
KOKKOS_FUNCTION T heaviest_pair(const Leptons<Space, T>& leptons, std::int64_t begin,
                                std::int64_t end) {
  T most = 0;
  for (std::int64_t i = begin; i < end; ++i)
    for (std::int64_t j = i + 1; j < end; ++j)
      if (leptons.opposite(i, j)) most = Kokkos::max(most, leptons.quarter_m2(i, j));
  return leptons.mass(most);
}

/// One thread for each event.
template <class Space, class Offsets, class T, class Masses>
void event_per_thread(const Space& space, const Offsets& offsets, const Leptons<Space, T>& leptons,
                      Pair pair, const Masses& masses) {
  const bool heaviest = pair == Pair::heaviest;
  Kokkos::parallel_for(
      "parallax::dilepton_mass::event_per_thread",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, masses.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i) {
        const std::int64_t begin = offsets(i), end = offsets(i + 1);
        masses(i) = heaviest ? heaviest_pair(leptons, begin, end) : first_pair(leptons, begin, end);
      });
}

/// The mass of one event by a whole team: its threads share out the second lepton of the pairs.
template <class Member, class Space, class T>
KOKKOS_FUNCTION T team_mass(const Member& team, const Leptons<Space, T>& leptons, Pair pair,
                            std::int64_t begin, std::int64_t end) {
  if (pair == Pair::heaviest) {
    T most = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, begin, end),
        [&](std::int64_t j, T& best) {
          for (std::int64_t i = begin; i < j; ++i)
            if (leptons.opposite(i, j)) best = Kokkos::max(best, leptons.quarter_m2(i, j));
        },
        Kokkos::Max<T>(most));
    return most > 0 ? leptons.mass(most) : T(0);  // the maximum over nothing is the lowest number
  }
  while (begin < end && leptons.charge(begin) == 0) ++begin;
  for (std::int64_t from = begin + 1; from < end;
       from += 1024) {  // no further than the first that fits
    std::int64_t j = end;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, from, Kokkos::min(from + 1024, end)),
        [&](std::int64_t k, std::int64_t& nearest) {
          if (leptons.opposite(begin, k)) nearest = Kokkos::min(nearest, k);
        },
        Kokkos::Min<std::int64_t>(j));
    if (j < end) return leptons.mass(leptons.quarter_m2(begin, j));
  }
  return T(-1);
}

/// One team for each event, or for every `teams`-th: starting a team costs more than most events.
template <class Space, class Offsets, class T, class Masses>
void event_per_team(const Space& space, const Offsets& offsets, const Leptons<Space, T>& leptons,
                    Pair pair, const Masses& masses) {
  using Policy = Kokkos::TeamPolicy<Space>;
  const std::int64_t events = masses.extent(0);
  const int size = is_host_space<Space> ? 1 : 32;
  const int teams = static_cast<int>(
      std::min<std::int64_t>(events, 64 * std::int64_t{space.concurrency()} / size));
  Kokkos::parallel_for(
      "parallax::dilepton_mass::event_per_team", Policy(space, teams, size),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        for (std::int64_t i = team.league_rank(); i < events; i += team.league_size()) {
          const T mass = team_mass(team, leptons, pair, offsets(i), offsets(i + 1));
          Kokkos::single(Kokkos::PerTeam(team), [&] { masses(i) = mass; });
        }
      });
}

}  // namespace parallax::kernels::dilepton_mass
