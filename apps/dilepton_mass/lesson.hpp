// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// dilepton_mass: the invariant mass of a pair of leptons in each event,
//
//   m = sqrt(2 pt1 pt2 (cosh(eta1 - eta2) - cos(phi1 - phi2))).
//
// Events are ragged: event i has leptons offsets[i] .. offsets[i+1]. An event of m leptons has
// m (m - 1) / 2 pairs, so that one large event outweighs many small ones: threads that finish early
// wait. Three ways to hand out the work: an event to a thread, an event to a team, and an event to
// a thread whose leptons are in the team's scratch memory.
//
// The difference cosh - cos loses digits where leptons fly close together: both are near 1 then.
// tuned.hpp has a form that keeps them.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace parallax::kernels::dilepton_mass {

/// Indices of 64 bits: Kokkos's own choice has 32 on a GPU.
template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// Which pair counts: the heaviest of opposite charges (0 if there is none), the first of opposite
/// charges (-1 if there is none), or the heaviest whatever the charges (0 if there is none).
enum class Pair { heaviest, first, any };

/// The columns of all events' leptons: transverse momentum (GeV), pseudorapidity, azimuth (rad),
/// and charge: -1 or 1, or 0 for a lepton that was not measured and is in no pair.
template <class Space, class T>
struct Leptons {
  using Real = T;
  template <class X>
  using Column = Kokkos::View<const X*, typename Space::memory_space>;
  Column<T> pt, eta, phi;
  Column<std::int8_t> charge;
};

/// Leptons i and j are a pair.
template <class L>
KOKKOS_FUNCTION bool is_pair(const L& leptons, std::int64_t i, std::int64_t j, Pair pair) {
  const int product = leptons.charge(i) * leptons.charge(j);
  return pair == Pair::any ? product != 0 : product < 0;
}

template <class L>
KOKKOS_FUNCTION typename L::Real pair_mass(const L& leptons, std::int64_t i, std::int64_t j) {
  using T = typename L::Real;
  const T difference =
      Kokkos::cosh(leptons.eta(i) - leptons.eta(j)) - Kokkos::cos(leptons.phi(i) - leptons.phi(j));
  // Rounding may leave it below 0, which has no root.
  return Kokkos::sqrt(2 * leptons.pt(i) * leptons.pt(j) * Kokkos::max(difference, T(0)));
}

/// The mass of the event of leptons begin .. end - 1: the double loop over pairs.
// begin: event
template <class L>
KOKKOS_FUNCTION typename L::Real event_mass(const L& leptons, std::int64_t begin, std::int64_t end,
                                            Pair pair) {
  typename L::Real most = pair == Pair::first ? -1 : 0;
  for (std::int64_t i = begin; i < end; ++i)
    for (std::int64_t j = i + 1; j < end; ++j) {
      if (!is_pair(leptons, i, j, pair)) continue;
      most = Kokkos::max(most, pair_mass(leptons, i, j));
      if (pair == Pair::first) return most;
    }
  return most;
}
// end: event

/// One thread for each event.
template <class Offsets, class L, class Masses>
struct EventPerThread {
  Offsets offsets;
  L leptons;
  Pair pair;
  Masses masses;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    masses(i) = event_mass(leptons, offsets(i), offsets(i + 1), pair);
  }
};

template <class Space, class Offsets, class T, class Masses>
void event_per_thread(const Space& space, const Offsets& offsets, const Leptons<Space, T>& leptons,
                      Pair pair, const Masses& masses) {
  Kokkos::parallel_for(
      "parallax::dilepton_mass::event_per_thread", Range<Space>(space, 0, masses.extent(0)),
      EventPerThread<Offsets, Leptons<Space, T>, Masses>{offsets, leptons, pair, masses});
}

/// Columns of a team's leptons in scratch memory.
template <class Space, class T>
struct Staged {
  using Real = T;
  template <class X>
  using Column = Kokkos::View<X*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  Column<T> pt, eta, phi;
  Column<std::int8_t> charge;
};

/// A team brings the leptons of its events into scratch memory, neighbouring threads neighbouring
/// leptons, and each thread computes an event from there. Events whose leptons do not fit are
/// computed from global memory.
template <class Space, class Offsets, class T, class Masses>
void team_scratch(const Space& space, int team_size, const Offsets& offsets,
                  const Leptons<Space, T>& leptons, Pair pair, const Masses& masses) {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Reals = typename Staged<Space, T>::template Column<T>;
  using Charges = typename Staged<Space, T>::template Column<std::int8_t>;
  constexpr int each = 128, capacity = 512;  // events and leptons of a team
  const std::int64_t events = masses.extent(0), teams = (events + each - 1) / each;
  const auto bytes = 3 * Reals::shmem_size(capacity) + Charges::shmem_size(capacity);
  Kokkos::parallel_for(
      "parallax::dilepton_mass::team_scratch",
      Policy(space, static_cast<int>(teams), team_size).set_scratch_size(0, Kokkos::PerTeam(bytes)),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const auto memory = team.team_scratch(0);
        const Staged<Space, T> staged{Reals(memory, capacity), Reals(memory, capacity),
                                      Reals(memory, capacity), Charges(memory, capacity)};
        const std::int64_t from = std::int64_t{team.league_rank()} * each;
        const std::int64_t to = Kokkos::min(from + each, events);
        const std::int64_t begin = offsets(from);
        const auto count = Kokkos::min<std::int64_t>(offsets(to) - begin, capacity);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](std::int64_t k) {
          staged.pt(k) = leptons.pt(begin + k);
          staged.eta(k) = leptons.eta(begin + k);
          staged.phi(k) = leptons.phi(begin + k);
          staged.charge(k) = leptons.charge(begin + k);
        });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, from, to), [&](std::int64_t e) {
          const std::int64_t first = offsets(e), last = offsets(e + 1);
          masses(e) = last - begin <= count ? event_mass(staged, first - begin, last - begin, pair)
                                            : event_mass(leptons, first, last, pair);
        });
      });
}

}  // namespace parallax::kernels::dilepton_mass
