// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// dilepton_mass, what a team of `balanced` has in its scratch memory: leptons, and a list of its
// events with a pair. `Tune` says how many of them, see tuned_balanced.hpp.
#pragma once

#include <Kokkos_Core.hpp>

#include "dilepton_mass/tuned_lepton.hpp"

namespace parallax::kernels::dilepton_mass {

template <class Space, class X>
using TeamArray =
    Kokkos::View<X*, typename Space::scratch_memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// All w, then all x, then all y, so that a CPU stores whole vectors.
template <class Space, class T, class Tune>
struct TeamLeptons {
  /// Of each: what a team takes, and some behind them that an event with few may read.
  static constexpr int room = Tune::capacity + Tune::held - 1;
  TeamArray<Space, T> number;
  template <class Member>
  KOKKOS_FUNCTION explicit TeamLeptons(const Member& team)
      : number(team.team_scratch(0), 3 * room) {}
  KOKKOS_FUNCTION Lepton<T> operator()(int k) const {
    return {number(k), number(room + k), number(2 * room + k)};
  }
  KOKKOS_FUNCTION void set(int k, const Lepton<T>& lepton) const {
    number(k) = lepton.w;
    number(room + k) = lepton.x;
    number(2 * room + k) = lepton.y;
  }
  static std::size_t bytes() { return TeamArray<Space, T>::shmem_size(3 * room); }
};

/// The small events with a pair: from the beginning events of more than two leptons, from the end
/// events of two.
template <class Space, class Tune>
struct PairList {
  static_assert(Tune::capacity < 1 << 12 && Tune::small < 1 << 6 && Tune::events <= 1 << 13,
                "An item has 12 bits for where an event begins, 6 for its leptons, 13 for itself.");
  static constexpr int last = Tune::events - 1, counter = Tune::events;
  TeamArray<Space, int> item;
  int many = 0, twos = 0;

  template <class Member>
  KOKKOS_FUNCTION explicit PairList(const Member& team)
      : item(team.team_scratch(0), Tune::events + 1) {}
  static std::size_t bytes() { return TeamArray<Space, int>::shmem_size(Tune::events + 1); }

  /// Begins with no event.
  template <class Member>
  KOKKOS_FUNCTION void clear(const Member& team) {
    many = twos = 0;
    if constexpr (Tune::threads > 1) {
      if (team.team_rank() == 0) item(counter) = 0;
      team.team_barrier();
    }
  }
  /// Adds a team's event whose `length` leptons begin at `from`, if it belongs here.
  KOKKOS_FUNCTION void add(int event, int from, int length) {
    const int packed = event << 18 | length << 12 | from;
    const bool is_two = length == 2, is_many = length > 2 && length <= Tune::small;
    if constexpr (Tune::threads == 1) {  // no branch could be foreseen; there is always room
      item(many) = packed;
      item(last - twos) = packed;
      many += is_many ? 1 : 0;
      twos += is_two ? 1 : 0;
    } else if (is_two || is_many) {
      const int before = Kokkos::atomic_fetch_add(&item(counter), is_two ? 1 << 16 : 1);
      item(is_two ? last - (before >> 16) : before & 0xffff) = packed;
    }
  }
  /// What add() was given.
  static KOKKOS_FUNCTION int event(int packed) { return packed >> 18; }
  static KOKKOS_FUNCTION int length(int packed) { return packed >> 12 & 63; }
  static KOKKOS_FUNCTION int from(int packed) { return packed & 4095; }

  /// To be called behind a barrier, after the last event.
  KOKKOS_FUNCTION void close() {
    if constexpr (Tune::threads > 1) {
      many = item(counter) & 0xffff;
      twos = item(counter) >> 16;
    }
  }
};

}  // namespace parallax::kernels::dilepton_mass
