// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// dilepton_mass, forms that keep their digits, and an event for each team. The difference in the
// lesson's formula loses all digits for leptons close together. Since cosh x - 1 = 2 sinh^2(x/2)
// and 1 - cos y = 2 sin^2(y/2), m = 2 sqrt(pt1 pt2 (sinh^2(deta/2) + sin^2(dphi/2))), a sum of
// squares, is what we compute.
//
// Work: offsets and leptons read once, masses written once. Bandwidth is the ceiling for events of
// a few leptons. One large event outweighs millions of small ones: `balanced` sorts events by what
// they need as it meets them (tuned_balanced.hpp).
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "device/sine.hpp"
#include "dilepton_mass/lesson.hpp"

namespace parallax::kernels::dilepton_mass {

/// A quarter of the squared mass of a pair.
template <class Space, class T>
KOKKOS_FUNCTION T quarter_m2(const Leptons<Space, T>& leptons, std::int64_t i, std::int64_t j) {
  const T a = Kokkos::sinh(T(0.5) * (leptons.eta(i) - leptons.eta(j)));
  const T b = sine(T(0.5) * (leptons.phi(i) - leptons.phi(j)));
  return leptons.pt(i) * leptons.pt(j) * (a * a + b * b);
}
template <class T>
KOKKOS_FUNCTION T mass_of(T quarter_m2) {
  return T(2) * Kokkos::sqrt(quarter_m2);
}

/// The first pair in the order (0,1), (0,2), ..., (1,2), ... is the first charged lepton
/// with the first of the opposite charge, if there is one at all: a search through the event, not
/// through its pairs.
template <class Space, class T>
KOKKOS_FUNCTION T first_pair(const Leptons<Space, T>& leptons, std::int64_t i, std::int64_t end) {
  while (i < end && leptons.charge(i) == 0) ++i;
  for (std::int64_t j = i + 1; j < end; ++j)
    if (is_pair(leptons, i, j, Pair::first)) return mass_of(quarter_m2(leptons, i, j));
  return T(-1);
}

template <Pair pair, class Space, class T>
KOKKOS_FUNCTION T heaviest_pair(const Leptons<Space, T>& leptons, std::int64_t begin,
                                std::int64_t end) {
  T most = 0;
  for (std::int64_t i = begin; i < end; ++i)
    for (std::int64_t j = i + 1; j < end; ++j)
      if (is_pair(leptons, i, j, pair)) most = Kokkos::max(most, quarter_m2(leptons, i, j));
  return mass_of(most);
}

/// Calls f with `pair` as a constant, so that no kernel asks which it is.
template <class F>
void with_constant(Pair pair, const F& f) {
  if (pair == Pair::heaviest) f(std::integral_constant<Pair, Pair::heaviest>{});
  if (pair == Pair::first) f(std::integral_constant<Pair, Pair::first>{});
  if (pair == Pair::any) f(std::integral_constant<Pair, Pair::any>{});
}

template <Pair pair, class Offsets, class L, class Masses>
struct EventPerThreadStable {
  Offsets offsets;
  L leptons;
  Masses masses;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t begin = offsets(i), end = offsets(i + 1);
    if constexpr (pair == Pair::first)
      masses(i) = first_pair(leptons, begin, end);
    else
      masses(i) = heaviest_pair<pair>(leptons, begin, end);
  }
};

/// One thread for each event.
template <class Space, class Offsets, class T, class Masses>
void event_per_thread_stable(const Space& space, const Offsets& offsets,
                             const Leptons<Space, T>& leptons, Pair pair, const Masses& masses) {
  with_constant(pair, [&](auto constant) {
    Kokkos::parallel_for(
        "parallax::dilepton_mass::event_per_thread_stable",
        Range<Space>(space, 0, masses.extent(0)),
        EventPerThreadStable<decltype(constant)::value, Offsets, Leptons<Space, T>, Masses>{
            offsets, leptons, masses});
  });
}

/// The mass of one event by a whole team: its threads share out the second lepton of the pairs.
template <Pair pair, class Member, class Space, class T>
KOKKOS_FUNCTION T team_mass(const Member& team, const Leptons<Space, T>& leptons,
                            std::int64_t begin, std::int64_t end) {
  if constexpr (pair != Pair::first) {
    T most = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, begin, end),
        [&](std::int64_t j, T& best) {
          for (std::int64_t i = begin; i < j; ++i)
            if (is_pair(leptons, i, j, pair)) best = Kokkos::max(best, quarter_m2(leptons, i, j));
        },
        Kokkos::Max<T>(most));
    return most > 0 ? mass_of(most) : T(0);  // the maximum over nothing is the lowest number
  } else {
    while (begin < end && leptons.charge(begin) == 0) ++begin;
    for (std::int64_t from = begin + 1; from < end;
         from += 1024) {  // no further than the first that fits
      std::int64_t j = end;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, from, Kokkos::min(from + 1024, end)),
          [&](std::int64_t k, std::int64_t& nearest) {
            if (is_pair(leptons, begin, k, pair)) nearest = Kokkos::min(nearest, k);
          },
          Kokkos::Min<std::int64_t>(j));
      if (j < end) return mass_of(quarter_m2(leptons, begin, j));
    }
    return T(-1);
  }
}

template <Pair pair, class Space, class Offsets, class L, class Masses>
struct EventPerTeam {
  Offsets offsets;
  L leptons;
  Masses masses;
  KOKKOS_FUNCTION void operator()(
      const typename Kokkos::TeamPolicy<Space>::member_type& team) const {
    const auto events = static_cast<std::int64_t>(masses.extent(0));
    for (std::int64_t i = team.league_rank(); i < events; i += team.league_size()) {
      const auto mass = team_mass<pair>(team, leptons, offsets(i), offsets(i + 1));
      Kokkos::single(Kokkos::PerTeam(team), [&] { masses(i) = mass; });
    }
  }
};

/// One team for each event, or for every `teams`-th: starting a team costs more than most events.
template <class Space, class Offsets, class T, class Masses>
void event_per_team(const Space& space, int team_size, const Offsets& offsets,
                    const Leptons<Space, T>& leptons, Pair pair, const Masses& masses) {
  const auto teams = static_cast<int>(
      std::min<std::int64_t>(masses.extent(0), 64 * std::int64_t{space.concurrency()} / team_size));
  with_constant(pair, [&](auto constant) {
    Kokkos::parallel_for(
        "parallax::dilepton_mass::event_per_team",
        Kokkos::TeamPolicy<Space>(space, teams, team_size),
        EventPerTeam<decltype(constant)::value, Space, Offsets, Leptons<Space, T>, Masses>{
            offsets, leptons, masses});
  });
}

}  // namespace parallax::kernels::dilepton_mass
