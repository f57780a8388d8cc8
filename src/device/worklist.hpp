// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace parallax::kernels {

/// Items that one kernel finds too big for a thread and leaves to the next kernel: `medium` ones
/// for a team, `large` ones for all teams together. The lists are empty between runs: the team that
/// leaves the second kernel last clears them, so that nothing need be cleared beforehand, and a run
/// in which nothing was left costs one look at two counters.
template <class Space>
class Worklist {
  using Items = Kokkos::View<std::int64_t*, typename Space::memory_space>;
  enum Counter { mediums, larges, left, counters };
  Kokkos::View<int*, typename Space::memory_space> counter_;
  Items medium_, large_;

 public:
  /// `most_medium` and `most_large`: how many items there can be.
  Worklist(const Space& space, std::int64_t most_medium, std::int64_t most_large)
      : counter_(Kokkos::view_alloc(space, "parallax::worklist::counter"), counters),
        medium_(
            Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::worklist::medium"),
            most_medium),
        large_(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::worklist::large"),
               most_large) {}

  KOKKOS_FUNCTION void add_medium(std::int64_t item) const {
    medium_(Kokkos::atomic_fetch_inc(&counter_(mediums))) = item;
  }
  KOKKOS_FUNCTION void add_large(std::int64_t item) const {
    large_(Kokkos::atomic_fetch_inc(&counter_(larges))) = item;
  }
  KOKKOS_FUNCTION int medium_count() const { return counter_(mediums); }
  KOKKOS_FUNCTION int large_count() const { return counter_(larges); }
  KOKKOS_FUNCTION std::int64_t medium(int k) const { return medium_(k); }
  KOKKOS_FUNCTION std::int64_t large(int k) const { return large_(k); }

  /// Called by every team of the second kernel when its work is done: true for the last, which sees
  /// what all others have written.
  template <class Member>
  KOKKOS_FUNCTION bool leave(const Member& team) const {
    team.team_barrier();
    int before_me = 0;
    Kokkos::single(
        Kokkos::PerTeam(team),
        [&](int& count) {
          Kokkos::memory_fence();
          count = Kokkos::atomic_fetch_inc(&counter_(left));
          Kokkos::memory_fence();
        },
        before_me);
    return before_me == team.league_size() - 1;
  }
  /// By one thread of the last team.
  KOKKOS_FUNCTION void clear() const {
    for (int c = 0; c < counters; ++c) counter_(c) = 0;
  }
};

}  // namespace parallax::kernels
