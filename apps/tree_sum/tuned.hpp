// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// tree_sum at the memory's read rate: `team_tree` and `reduce_wide` are lesson.hpp's
// `team_scratch` and `reduce` with wide loads, several in flight, and most of the tree in
// registers (device/streaming.hpp).
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "device/streaming.hpp"
#include "tree_sum/lesson.hpp"

namespace parallax::kernels::tree_sum {

/// Each thread adds up its part of the team's block in registers, then the team adds its threads'
/// sums as a tree in scratch memory, a barrier between two levels, and one atomic per team is left:
/// some thousands instead of n.
template <class Space, class Array, class Sum>
void team_tree(const Space& space, const Array& a, const Sum& sum) {
  using T = typename Array::non_const_value_type;
  using S = Streaming<Space, T>;
  using Policy = Kokkos::TeamPolicy<Space>;
  using Scratch = Kokkos::View<T*, typename Space::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const Stream<S, T> stream(a.data(), static_cast<std::int64_t>(a.extent(0)));
  Kokkos::deep_copy(space, sum, T(0));
  Kokkos::parallel_for(
      "parallax::tree_sum::team_tree",
      Policy(space, stream.blocks(), S::team_size)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(S::team_size))),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Scratch partial(team.team_scratch(0), S::team_size);
        const int me = team.team_rank();
        partial(me) = stream.sum(team.league_rank(), me);
        const T total = add_in_scratch(team, partial);
        if (me == 0) Kokkos::atomic_add(&sum(), total);
      });
}

/// `reduce` with a block of packs for each index instead of one element.
template <class Space, class Array, class Sum>
void reduce_wide(const Space& space, const Array& a, const Sum& sum) {
  using T = typename Array::non_const_value_type;
  using S = Streaming<Space, T>;
  const Stream<S, T> stream(a.data(), static_cast<std::int64_t>(a.extent(0)));
  Kokkos::parallel_reduce(
      "parallax::tree_sum::reduce_wide",
      Range<Space>(space, 0, std::int64_t{stream.blocks()} * S::team_size),
      KOKKOS_LAMBDA(std::int64_t i, T & total) {
        total += stream.sum(i / S::team_size, static_cast<int>(i % S::team_size));
      },
      sum);
}

}  // namespace parallax::kernels::tree_sum
