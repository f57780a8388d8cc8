// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// heat, several steps at a time: a team brings a tile with a halo of a point for each step, does
// the steps in scratch memory, between two copies of the tile, and writes the tile back. Each step
// needs one point less around it than the one before. Memory is passed through once for all of
// them; the halo's points are computed by several teams.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "device/tuning.hpp"
#include "heat/lesson.hpp"

namespace parallax::kernels::heat {

/// A device's scratch memory has two tiles of 40 x 72 numbers for each of several teams; a host's
/// tiles stay in a core's second cache, and their rows are long enough for its vectors.
template <class Space>
struct Block {
  static constexpr bool host = is_host_space<Space>;
  static constexpr int steps = host ? 8 : 4;  ///< at most, at a time
  static constexpr int rows = host ? 64 : 32, columns = host ? 256 : 64;
  static constexpr int threads = host ? 1 : 16, vector = host ? 1 : 32;
  static constexpr int level = host ? 1 : 0;  ///< of scratch: level 0 has 32 KiB on a host
};

/// `steps` steps, at most Block's, from one field to another, whose frame is there.
template <class Space, class Field>
void several_steps(const Space& space, const Field& from, const Field& to, int steps) {
  using B = Block<Space>;
  using Policy = Kokkos::TeamPolicy<Space>;
  using Tile =
      Kokkos::View<typename Field::value_type[B::rows + 2 * B::steps][B::columns + 2 * B::steps],
                   Kokkos::LayoutRight, typename Space::scratch_memory_space,
                   Kokkos::MemoryUnmanaged>;
  const std::int64_t all_rows = from.extent(0), all_columns = from.extent(1);
  const auto down = static_cast<int>((all_rows - 2 + B::rows - 1) / B::rows);
  const auto across = static_cast<int>((all_columns - 2 + B::columns - 1) / B::columns);
  Kokkos::parallel_for(
      "parallax::heat::temporal",
      Policy(space, down * across, B::threads, B::vector)
          .set_scratch_size(B::level, Kokkos::PerTeam(2 * Tile::shmem_size())),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Tile first(team.team_scratch(int{B::level})),
            second(team.team_scratch(int{B::level}));
        // The field's point at the tile's (0, 0); it may be outside, as may others of the halo.
        const std::int64_t top = std::int64_t{team.league_rank() / across} * B::rows + 1 - steps;
        const std::int64_t left =
            std::int64_t{team.league_rank() % across} * B::columns + 1 - steps;
        // Calls f(r, c) for the tile's points but `margin` on each side, as far as they are points
        // of the field at least `edge` away from its outermost ones.
        const auto points = [&](int margin, int edge, const auto& f) {
          const auto low = [=](std::int64_t begin) {
            return static_cast<int>(Kokkos::max<std::int64_t>(margin, edge - begin));
          };
          const auto high = [=](int size, std::int64_t begin, std::int64_t all) {
            return static_cast<int>(
                Kokkos::min<std::int64_t>(size + 2 * steps - margin, all - edge - begin));
          };
          const int begin = low(left), end = high(B::columns, left, all_columns);
          Kokkos::parallel_for(
              Kokkos::TeamThreadRange(team, low(top), high(B::rows, top, all_rows)), [&](int r) {
                Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, begin, end),
                                     [&](int c) { f(r, c); });
              });
        };
        // Both: what is of the frame, or beyond a step's reach, is never written again.
        points(0, 0, [&](int r, int c) { first(r, c) = second(r, c) = from(top + r, left + c); });
        for (int step = 1; step <= steps; ++step) {
          const Tile& before = step % 2 == 1 ? first : second;
          const Tile& now = step % 2 == 1 ? second : first;
          team.team_barrier();
          if (step < steps)
            points(step, 1, [&](int r, int c) { now(r, c) = after(before, r, c); });
          else
            points(step, 1, [&](int r, int c) { to(top + r, left + c) = after(before, r, c); });
        }
      });
}

/// Passes through memory, of `at_once` steps at most: fewer than steps.
inline int passes(int steps, int at_once) { return (steps + at_once - 1) / at_once; }

/// All steps of `f`; `pass(from, to, steps)` does the number of them that it is told.
template <class Space, class Field, class Pass>
void in_passes(const Space& space, Fields<Field> f, int at_once, const Pass& pass) {
  int left = f.steps;
  f.steps = passes(left, at_once);
  run(space, f, [&](const Field& from, const Field& to) {
    const int steps = std::min(left, at_once);
    pass(from, to, steps);
    left -= steps;
  });
}

template <class Space, class Field>
void temporal(const Space& space, const Fields<Field>& f) {
  in_passes(space, f, Block<Space>::steps, [&](const Field& from, const Field& to, int steps) {
    several_steps(space, from, to, steps);
  });
}

}  // namespace parallax::kernels::heat
