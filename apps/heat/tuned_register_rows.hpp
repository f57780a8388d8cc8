// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// heat, eight steps at a time: a team moves down a strip of the field, one row at a time. When a
// step has computed a row, the next step can compute the row above it. So each row of the field is
// read once and goes through all steps; of each step three rows are kept. A GPU thread holds two
// columns of them in registers, and only the neighbours of these come from scratch memory. The halo
// is as wide as there are steps, on both sides of a strip and at both ends.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "device/tuning.hpp"
#include "device/unroll.hpp"
#include "heat/lesson.hpp"

namespace parallax::kernels::heat {

/// The strip of a team that does `steps` steps. On a host it is one thread's, as wide as a core's
/// first cache allows.
template <class Space, class T, int steps>
struct Strip {
  static constexpr bool host = is_host_space<Space>;
  static constexpr int threads = host ? 1 : 128, lanes = host ? 1088 / sizeof(T) : 2;
  static constexpr int wide = threads * lanes,
                       columns = wide - 2 * steps;  ///< with the halo, without
  static constexpr int ahead = 3;  ///< rows that are on their way from memory; divides 6
  /// Teams that registers allow on a multiprocessor, of the 16 that its threads would allow.
  static constexpr int teams = host ? 16 : sizeof(T) == 4 ? 5 : 3;

  static int across(std::int64_t inner_columns) {
    return static_cast<int>((inner_columns + columns - 1) / columns);
  }
  /// Inner rows of a team if all teams run at once. Each computes a halo besides.
  static std::int64_t most_rows(const Space& space, std::int64_t inner_rows, int across) {
    const std::int64_t at_once = std::int64_t{space.concurrency()} / threads * teams / 16;
    const std::int64_t down = std::max<std::int64_t>(at_once / across, 1);
    return std::max<std::int64_t>((inner_rows + down - 1) / down, steps);
  }
  /// About 136 where there could be more: several times the teams that run at once.
  static int rows(const Space& space, std::int64_t inner_rows, int across) {
    const std::int64_t most = most_rows(space, inner_rows, across);
    const std::int64_t turns = std::max<std::int64_t>((most + 68) / 136, 1);
    return static_cast<int>((most + turns - 1) / turns);
  }
};

/// `steps` steps from one field to another, whose frame is there.
template <int steps, class Space, class Field>
void steps_by_rows(const Space& space, const Field& from, const Field& to) {
  using T = typename Field::non_const_value_type;
  using S = Strip<Space, T, steps>;
  using Policy =
      Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<S::threads, S::host ? 0 : S::teams>>;
  // The first and the last column of each thread, of the row before and of this one.
  using Ends = Kokkos::View<T[2][steps][2][S::threads + 2], Kokkos::LayoutRight,
                            typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  const std::int64_t all_rows = from.extent(0), all_columns = from.extent(1);
  const auto pitch = static_cast<std::int64_t>(from.stride(0));  // as far as the next row
  const int across = S::across(all_columns - 2);
  const int rows = S::rows(space, all_rows - 2, across);
  const auto down = static_cast<int>((all_rows - 2 + rows - 1) / rows);
  Kokkos::parallel_for(
      "parallax::heat::register_rows",
      Policy(space, down * across, S::threads)
          .set_scratch_size(0, Kokkos::PerTeam(S::host ? 0 : Ends::shmem_size())),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        constexpr int lanes = S::lanes;
        [[maybe_unused]] const Ends ends(team.team_scratch(0));
        // The field's point at the strip's (0, 0); it may be outside, as may others of the halo.
        const std::int64_t top = std::int64_t{team.league_rank() / across} * rows + 1 - steps;
        const std::int64_t left =
            std::int64_t{team.league_rank() % across} * S::columns + 1 - steps;
        const int t = team.team_rank();
        const std::int64_t mine = left + t * lanes;
        const int end = static_cast<int>(
            Kokkos::min<std::int64_t>(rows + 2 * steps, all_rows - 1 + steps - top));
        // The thread's first lane that is at `column` or beyond.
        const auto lane = [=](std::int64_t column) {
          return static_cast<int>(Kokkos::clamp<std::int64_t>(column - mine, 0, lanes));
        };
        const int there = lane(0), until = lane(all_columns);
        const int inner = lane(1), frame = lane(all_columns - 1);
        const int first = lane(left + steps),
                  last = lane(Kokkos::min(left + steps + S::columns, all_columns - 1));
        const auto go_down = [&](auto of_inner_points) {
          constexpr bool whole = decltype(of_inner_points)::value;
          T row[steps][3][lanes + 2] = {};
          [[maybe_unused]] T coming[S::ahead][lanes] = {};
          const T* source = from.data() + top * pitch + mine;
          T* sink = to.data() + (top - steps) * pitch + mine;
          const auto load = [&](int r, T* u) {
            const bool is = r < end && (whole || (top + r >= 0 && top + r < all_rows));
            if constexpr (S::host) {
              for (int l = there; l < (is ? until : there); ++l) u[l] = source[l];
            } else {
              unrolled<lanes>([&](auto at) {
                constexpr int l = decltype(at){};
                u[l] = is && (whole || (l >= there && l < until)) ? source[l] : T(0);
              });
            }
            source += pitch;
          };
          if constexpr (!S::host) unrolled<S::ahead>([&](auto r) { load(r, coming[r]); });
          for (int begin = 0; begin < end; begin += 6) {
            const auto go_on = [&](auto turn) {
              const int b = turn, above = b % 3, here = (b + 1) % 3, below = (b + 2) % 3;
              const int r = begin + b;
              if constexpr (S::host) {
                load(r, &row[0][below][1]);
              } else {
                for (int l = 0; l < lanes; ++l) row[0][below][l + 1] = coming[b % S::ahead][l];
                load(r + S::ahead, coming[b % S::ahead]);
              }
              T out[lanes];
              unrolled<steps>([&](auto level) {
                constexpr int k = decltype(level){};
                T* u = row[k][here];
                if constexpr (!S::host) {
                  const int side = b % 2;
                  u[0] = ends(side, int{k}, 1, t);
                  u[lanes + 1] = ends(side, int{k}, 0, t + 2);
                  ends(1 - side, int{k}, 0, t + 1) = row[k][below][1];
                  ends(1 - side, int{k}, 1, t + 1) = row[k][below][lanes];
                }
                T* next = k + 1 < steps ? &row[(k + 1) % steps][below][1] : out;
                const std::int64_t i = top + r - 1 - k;  // the field's row that does step k + 1
                const int begin_lane = i < 1 || i >= all_rows - 1 ? lanes : inner;
                for (int l = 0; l < (S::host ? until : lanes); ++l) {
                  const T now = u[l + 1];
                  const T then = now + a * (row[k][above][l + 1] + row[k][below][l + 1] + u[l] +
                                            u[l + 2] - 4 * now);
                  next[l] = whole || ((l >= begin_lane) & (l < frame)) ? then : now;
                }
              });
              if (r >= 2 * steps && r < end)
                for (int l = S::host ? first : 0; l < (S::host ? last : lanes); ++l)
                  if (S::host || (l >= first && l < last)) sink[l] = out[l];
              sink += pitch;
              if constexpr (!S::host) team.team_barrier();
            };
            // Written out for registers: the compiler knows which of three rows is above, here and
            // below. A host's rows are in its cache.
            if constexpr (S::host) {
              for (int b = 0; b < 6; ++b) go_on(b);
            } else {
              unrolled<6>(go_on);
            }
          }
        };
        // No point of the frame, and none beyond it.
        if (top > 0 && top + end < all_rows && left > 0 && left + S::wide < all_columns)
          go_down(std::true_type{});
        else
          go_down(std::false_type{});
      });
}

/// How many steps a pass has at most: eight where the halo is small beside the strip, or else four.
template <class Space, class Field>
int steps_at_once(const Space& space, const Field& field) {
  using S = Strip<Space, typename Field::non_const_value_type, 8>;
  const auto inner_rows = static_cast<std::int64_t>(field.extent(0)) - 2;
  const int across = S::across(static_cast<std::int64_t>(field.extent(1)) - 2);
  return S::most_rows(space, inner_rows, across) >= 24 ? 8 : 4;
}

/// Passes through memory for all steps: of `at_once`, of four, and of one.
inline int passes_by_rows(int steps, int at_once) {
  return steps / at_once + steps % at_once / 4 + steps % 4;
}

template <class Space, class Field>
void register_rows(const Space& space, Fields<Field> f) {
  const int at_once = steps_at_once(space, f.start);
  int left = f.steps;
  f.steps = passes_by_rows(left, at_once);
  run(space, f, [&](const Field& from, const Field& to) {
    const int steps = left >= at_once ? at_once : left >= 4 ? 4 : 1;
    if (steps == 8)
      steps_by_rows<8>(space, from, to);
    else if (steps == 4)
      steps_by_rows<4>(space, from, to);
    else
      mdrange(space, from, to);
    left -= steps;
  });
}

}  // namespace parallax::kernels::heat
