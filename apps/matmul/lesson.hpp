// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// matmul: C = A B, with A of m x k, B of k x n and C of m x n: 2 m n k operations on m k + k n +
// m n numbers. Each number is used many times. How often it is fetched decides the speed:
//
//   naive                 2 numbers for each multiply-add, from memory or from the caches
//   tiled, team_scratch   2/16: a team fetches tiles of 16 x 16 that all of its threads then use
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace parallax::kernels::matmul {

/// An element of C: a row of A times a column of B.
template <class Matrix>
struct Element {
  Matrix a, b, c;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j) const {
    // student: begin naive
    const std::int64_t depth = a.extent(1);
    typename Matrix::value_type sum = 0;
    for (std::int64_t l = 0; l < depth; ++l) sum += a(i, l) * b(l, j);
    c(i, j) = sum;
    // student: end naive
  }
};

/// One index for each element of C, in the order that the policy picks for the space.
template <class Space, class Matrix>
void naive(const Space& space, const Matrix& a, const Matrix& b, const Matrix& c) {
  const std::int64_t rows = c.extent(0), columns = c.extent(1);
  if (rows == 0 || columns == 0) return;
  using Policy = Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for("parallax::matmul::naive", Policy(space, {0, 0}, {rows, columns}),
                       Element<Matrix>{a, b, c});
}

/// The width of a tile. A constant, so that the compiler unrolls the loop along a tile's row.
inline constexpr int tile = 16;

/// A tile in scratch memory, in the layout that the space prefers.
template <class Space, class T>
using Scratch =
    Kokkos::View<T[tile][tile], typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;

/// How many tiles cover the rows, or the columns, of a matrix.
inline int tiles(std::size_t extent) { return static_cast<int>((extent + tile - 1) / tile); }

template <class Matrix>
KOKKOS_FUNCTION bool inside(const Matrix& x, std::int64_t i, std::int64_t j) {
  return i < static_cast<std::int64_t>(x.extent(0)) && j < static_cast<std::int64_t>(x.extent(1));
}

/// A team for each tile of C, with scratch memory for three tiles.
template <class Space, class Matrix>
Kokkos::TeamPolicy<Space> team_per_tile(const Space& space, int team_size, const Matrix& c) {
  const auto bytes = 3 * Scratch<Space, typename Matrix::value_type>::shmem_size();
  return Kokkos::TeamPolicy<Space>(space, tiles(c.extent(0)) * tiles(c.extent(1)), team_size)
      .set_scratch_size(0, Kokkos::PerTeam(bytes));
}

/// Tiles for a team of any size, such as the one thread that a team has on a CPU: the threads
/// share the 256 elements of each tile. Tiles that reach beyond a matrix are filled up with zeros.
/// A thread with many elements cannot keep their sums in registers, so the sums are a third tile
/// in scratch.
template <class Space, class Matrix>
void team_scratch(const Space& space, int team_size, const Matrix& a, const Matrix& b,
                  const Matrix& c) {
  using T = typename Matrix::value_type;
  const int down = tiles(c.extent(0));
  Kokkos::parallel_for(
      "parallax::matmul::team_scratch", team_per_tile(space, team_size, c),
      KOKKOS_LAMBDA(const typename Kokkos::TeamPolicy<Space>::member_type& team) {
        const Scratch<Space, T> a_tile(team.team_scratch(0)), b_tile(team.team_scratch(0)),
            c_tile(team.team_scratch(0));
        const std::int64_t i = std::int64_t{team.league_rank() % down} * tile;
        const std::int64_t j = std::int64_t{team.league_rank() / down} * tile;
        const std::int64_t depth = a.extent(1);
        const auto elements = Kokkos::TeamThreadRange(team, tile * tile);
        Kokkos::parallel_for(elements, [&](int e) { c_tile(e % tile, e / tile) = 0; });
        // student: begin team_scratch
        for (std::int64_t l = 0; l < depth; l += tile) {
          Kokkos::parallel_for(elements, [&](int e) {
            const int r = e % tile, s = e / tile;
            a_tile(r, s) = inside(a, i + r, l + s) ? a(i + r, l + s) : T(0);
            b_tile(r, s) = inside(b, l + r, j + s) ? b(l + r, j + s) : T(0);
          });
          team.team_barrier();
          Kokkos::parallel_for(elements, [&](int e) {
            const int r = e % tile, s = e / tile;
            T sum = c_tile(r, s);
            for (int x = 0; x < tile; ++x) sum += a_tile(r, x) * b_tile(x, s);
            c_tile(r, s) = sum;
          });
          team.team_barrier();
        }
        // student: end team_scratch
        Kokkos::parallel_for(elements, [&](int e) {
          const int r = e % tile, s = e / tile;
          if (inside(c, i + r, j + s)) c(i + r, j + s) = c_tile(r, s);
        });
      });
}

/// The textbook's kernel: a team computes a tile of C, and each of its 256 threads one element,
/// whose sum stays in a register. A team of another size shares the elements instead.
// begin: tiled
template <class Space, class Matrix>
void tiled(const Space& space, int team_size, const Matrix& a, const Matrix& b, const Matrix& c) {
  using T = typename Matrix::value_type;
  if (team_size != tile * tile) return team_scratch(space, team_size, a, b, c);
  const int down = tiles(c.extent(0));
  Kokkos::parallel_for(
      "parallax::matmul::tiled", team_per_tile(space, team_size, c),
      KOKKOS_LAMBDA(const typename Kokkos::TeamPolicy<Space>::member_type& team) {
        const Scratch<Space, T> a_tile(team.team_scratch(0)), b_tile(team.team_scratch(0));
        // Neighbouring threads take neighbouring rows: in LayoutLeft, the default on GPUs, they
        // then read neighbouring elements.
        const int r = team.team_rank() % tile, s = team.team_rank() / tile;
        const std::int64_t i = std::int64_t{team.league_rank() % down} * tile + r;
        const std::int64_t j = std::int64_t{team.league_rank() / down} * tile + s;
        const std::int64_t depth = a.extent(1);
        T sum = 0;
        for (std::int64_t l = 0; l < depth; l += tile) {
          a_tile(r, s) = inside(a, i, l + s) ? a(i, l + s) : T(0);
          b_tile(r, s) = inside(b, l + r, j) ? b(l + r, j) : T(0);
          team.team_barrier();  // the tiles are complete
          for (int e = 0; e < tile; ++e) sum += a_tile(r, e) * b_tile(e, s);
          team.team_barrier();  // no thread still reads them
        }
        if (inside(c, i, j)) c(i, j) = sum;
      });
}
// end: tiled

}  // namespace parallax::kernels::matmul
