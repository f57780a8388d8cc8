// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// row_sum at the memory's read rate: `range_wide` and `team_wide` are lesson.hpp's `range` and
// `team` with several sums side by side, so that additions and loads overlap.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "device/streaming.hpp"
#include "row_sum/lesson.hpp"

namespace parallax::kernels::row_sum {

/// A row for each thread, with several sums side by side, each of every `lanes`-th element.
template <class Space, class Matrix, class Sums>
void range_wide(const Space& space, const Matrix& a, const Sums& sums) {
  using T = typename Matrix::non_const_value_type;
  constexpr int lanes = is_host_space<Space> ? 64 : 8;
  const auto columns = static_cast<std::int64_t>(a.extent(1));
  Kokkos::parallel_for(
      "parallax::row_sum::range_wide", Range<Space>(space, 0, a.extent(0)),
      KOKKOS_LAMBDA(std::int64_t r) {
        T sum[lanes] = {};
        std::int64_t c = 0;
        for (; c + lanes <= columns; c += lanes)
          for (int l = 0; l < lanes; ++l) sum[l] += a(r, c + l);
        for (; c < columns; ++c) sum[0] += a(r, c);
        for (int width = lanes / 2; width > 0; width /= 2)
          for (int l = 0; l < width; ++l) sum[l] += sum[l + width];
        sums(r) = sum[0];
      });
}

/// A row is read by the lanes of a vector instead of a team.
template <class Space, class T>
struct RowStreaming : Streaming<Space, T> {
  static constexpr int team_size = is_host_space<Space> ? 1 : 32;
};

/// Threads of a team of `team_wide`, each with a vector's lanes.
template <class Space>
inline constexpr int threads_of_team = is_host_space<Space> ? 1 : 8;

/// A team takes several rows, one for each of its threads, and a row is the work of that thread's
/// vector lanes: they read packs side by side, eight each before the first is used, and join their
/// sums without touching memory. On a host a team is one thread of one lane.
template <class Space, class Matrix, class Sums>
void team_wide(const Space& space, const Matrix& a, const Sums& sums) {
  using T = typename Matrix::non_const_value_type;
  using S = RowStreaming<Space, T>;
  using Policy = Kokkos::TeamPolicy<Space>;
  constexpr int threads = threads_of_team<Space>;
  const auto rows = static_cast<std::int64_t>(a.extent(0));
  const auto columns = static_cast<std::int64_t>(a.extent(1));
  if (rows == 0) return;
  Kokkos::parallel_for(
      "parallax::row_sum::team_wide",
      Policy(space, static_cast<int>((rows + threads - 1) / threads), threads, S::team_size),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const std::int64_t r = std::int64_t{team.league_rank()} * threads + team.team_rank();
        if (r >= rows) return;
        T sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::ThreadVectorRange(team, S::team_size),
            [&](int lane, T& part) {
              if (a.stride(1) == 1) {
                const Stream<S, T> row(a.data() + r * a.stride(0), columns);
                for (int b = 0; b < row.blocks(); ++b) part += row.sum(b, lane);
              } else {
                for (std::int64_t c = lane; c < columns; c += S::team_size) part += a(r, c);
              }
            },
            sum);
        Kokkos::single(Kokkos::PerThread(team), [&] { sums(r) = sum; });
      });
}

}  // namespace parallax::kernels::row_sum
