// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// transpose: out(j, i) = in(i, j), for matrices that are row-major on every space.
//
// Nothing is computed, and yet a copy is far faster than `naive`: threads that read neighbours
// write places a whole row of `out` apart. `team_scratch` reads and writes rows, and turns a tile
// round in between, in scratch memory. There the same question comes back on a small scale: one
// column of padding decides whether a warp's lanes take turns.
//
// Work: every element read once and written once. A copy's rate is the ceiling.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace parallax::kernels::transpose {

template <class Matrix>
struct Element {
  Matrix in, out;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j) const { out(j, i) = in(i, j); }
};

/// A thread for each element. Neighbouring threads have neighbouring j: they read neighbours.
// begin: naive
template <class Space, class Matrix>
void naive(const Space& space, const Matrix& in, const Matrix& out) {
  using RowByRow = Kokkos::Rank<2, Kokkos::Iterate::Right, Kokkos::Iterate::Right>;
  // student: begin naive
  Kokkos::parallel_for("parallax::transpose::naive",
                       Kokkos::MDRangePolicy<Space, RowByRow, Kokkos::IndexType<std::int64_t>>(
                           space, {0, 0}, {in.extent(0), in.extent(1)}),
                       Element<Matrix>{in, out});
  // student: end naive
}
// end: naive

constexpr int tile = 32;  ///< rows and columns of a tile: a warp's lanes

/// A team for each tile: it reads rows of `in` into scratch memory, and when all have arrived it
/// writes rows of `out`, for which it reads columns of the tile. `width` numbers are from one row
/// of the tile to the next.
// begin: team_scratch
template <int width, class Space, class Matrix>
void by_tiles(const char* label, const Space& space, int team_size, const Matrix& in,
              const Matrix& out) {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Scratch = Kokkos::View<typename Matrix::value_type[tile][width], Kokkos::LayoutRight,
                               typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  const std::int64_t rows = in.extent(0), columns = in.extent(1);
  const std::int64_t across = (columns + tile - 1) / tile, down = (rows + tile - 1) / tile;
  Kokkos::parallel_for(
      label,
      Policy(space, static_cast<int>(across * down), team_size)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size())),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Scratch x(team.team_scratch(0));
        const std::int64_t row = team.league_rank() / across * tile;
        const std::int64_t column = team.league_rank() % across * tile;
        // student: begin team_scratch
        const auto all = Kokkos::TeamThreadRange(team, tile * tile);
        Kokkos::parallel_for(all, [&](int k) {
          const int i = k / tile, j = k % tile;
          if (row + i < rows && column + j < columns) x(i, j) = in(row + i, column + j);
        });
        team.team_barrier();
        Kokkos::parallel_for(all, [&](int k) {
          const int j = k / tile, i = k % tile;
          if (row + i < rows && column + j < columns) out(column + j, row + i) = x(i, j);
        });
        // student: end team_scratch
      });
}

/// A warp reads a column of the tile. With one unused number at the end of each row, the column's
/// 32 numbers (float) are in 32 banks of the scratch memory.
template <class Space, class Matrix>
void team_scratch(const Space& space, int team_size, const Matrix& in, const Matrix& out) {
  by_tiles<tile + 1>("parallax::transpose::team_scratch", space, team_size, in, out);
}
// end: team_scratch

/// Without it they are all in one bank, and the lanes take turns.
template <class Space, class Matrix>
void team_scratch_conflicts(const Space& space, int team_size, const Matrix& in,
                            const Matrix& out) {
  by_tiles<tile>("parallax::transpose::team_scratch_conflicts", space, team_size, in, out);
}

}  // namespace parallax::kernels::transpose
