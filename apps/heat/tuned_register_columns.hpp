// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// heat, several steps at a time as in tuned.hpp, but the tile is in registers: a thread keeps a
// column of it from its first row to its last. The north and the south of a point are there, and
// only the west and the east come from scratch memory. On a GPU that is three to five times as
// fast; on a host, whose thread has all columns, tuned.hpp moves less.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include "device/tuning.hpp"
#include "heat/lesson.hpp"
#include "heat/tuned.hpp"

namespace parallax::kernels::heat {

/// The tile of a team, with a halo of `steps` points on each side.
template <class Space>
struct Columns {
  static constexpr bool host = is_host_space<Space>;
  static constexpr int steps = 4;                                         ///< at most, at a time
  static constexpr int threads = host ? 1 : 128, lanes = host ? 136 : 1;  ///< columns of a thread
  static constexpr int wide = threads * lanes, high = host ? 40 : 24;     ///< with the halo
  static constexpr int columns = wide - 2 * steps, rows = high - 2 * steps;
};

/// `steps` steps, at most Columns' number, from one field to another, whose frame is there.
template <class Space, class Field>
void steps_by_columns(const Space& space, const Field& from, const Field& to, int steps) {
  using B = Columns<Space>;
  using T = typename Field::non_const_value_type;
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<B::threads>>;
  // With a column more on each side, whose values are used by nothing that is written back.
  using Tile = Kokkos::View<T[B::high][B::wide + 2], Kokkos::LayoutRight,
                            typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  constexpr int level = B::host ? 1 : 0;  // of scratch: level 0 has 32 KiB on a host
  const std::int64_t all_rows = from.extent(0), all_columns = from.extent(1);
  const auto down = static_cast<int>((all_rows - 2 + B::rows - 1) / B::rows);
  const auto across = static_cast<int>((all_columns - 2 + B::columns - 1) / B::columns);
  Kokkos::parallel_for(
      "parallax::heat::register_columns",
      Policy(space, down * across, B::threads)
          .set_scratch_size(level, Kokkos::PerTeam(Tile::shmem_size())),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Tile tile(team.team_scratch(int{level}));
        // The field's point at the tile's (0, 0); it may be outside, as may others of the halo.
        const std::int64_t top = std::int64_t{team.league_rank() / across} * B::rows + 1 - B::steps;
        const std::int64_t left =
            std::int64_t{team.league_rank() % across} * B::columns + 1 - B::steps;
        const int mine = team.team_rank() * B::lanes;
        // Whether the tile's point is one of the field, `edge` away from its outermost ones.
        const auto inside = [=](int edge, int r, int c) {
          return top + r >= edge && top + r < all_rows - edge && left + c >= edge &&
                 left + c < all_columns - edge;
        };
        const auto do_all = [&](auto of_inner_points) {
          constexpr bool whole = decltype(of_inner_points)::value;
          T u[B::high][B::lanes];
          for (int r = 0; r < B::high; ++r)
            for (int l = 0; l < B::lanes; ++l)
              u[r][l] = whole || inside(0, r, mine + l) ? from(top + r, left + mine + l) : T(0);
          for (int step = 0; step < steps; ++step) {
            if (step > 0) team.team_barrier();
            for (int r = 0; r < B::high; ++r)
              for (int l = 0; l < B::lanes; ++l) tile(r, mine + l + 1) = u[r][l];
            team.team_barrier();
            T north[B::lanes];
            for (int l = 0; l < B::lanes; ++l) north[l] = u[0][l];
            for (int r = 1; r < B::high - 1; ++r)
              for (int l = 0; l < B::lanes; ++l) {
                const int c = mine + l;
                const T now = u[r][l];
                const T next =
                    now + a * (north[l] + u[r + 1][l] + tile(r, c) + tile(r, c + 2) - 4 * now);
                north[l] = now;
                if (whole || inside(1, r, c)) u[r][l] = next;
              }
          }
          for (int r = B::steps; r < B::steps + B::rows; ++r)
            for (int l = 0; l < B::lanes; ++l) {
              const int c = mine + l;
              if (c >= B::steps && c < B::steps + B::columns && (whole || inside(1, r, c)))
                to(top + r, left + c) = u[r][l];
            }
        };
        // No point of the frame, and none beyond it.
        if (inside(1, 0, 0) && inside(1, B::high - 1, B::wide - 1))
          do_all(std::true_type{});
        else
          do_all(std::false_type{});
      });
}

/// All steps, a few at a time.
template <class Space, class Field>
void register_columns(const Space& space, const Fields<Field>& f) {
  in_passes(space, f, Columns<Space>::steps, [&](const Field& from, const Field& to, int steps) {
    steps_by_columns(space, from, to, steps);
  });
}

}  // namespace parallax::kernels::heat
