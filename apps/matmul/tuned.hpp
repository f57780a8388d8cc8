// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// matmul's `tiled_swizzled`: C = A B by the tiles of lesson.hpp, of any width, laid out so that
// scratch memory serves the most threads at once. `register_tiled`
// (tuned_register_tiled.hpp) tiles once more between scratch memory and registers, and is then
// bound by arithmetic.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "device/pack.hpp"
#include "device/tuning.hpp"

namespace parallax::kernels::matmul {

/// Bytes of scratch memory that a team of `tiled_swizzled` with tiles of this
/// width needs at most: a tile each of A, B and C.
template <class T>
constexpr std::size_t swizzled_scratch_bytes(int width) {
  return 3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(width) * sizeof(T);
}

/// A team computes a Tile x Tile tile of C, one element per thread, as `tiled` does.
///
/// An element takes a row of one tile times a column of the other, two numbers from scratch for
/// each multiply-add, and that is what its time is. So the second tile is stored turned, columns
/// side by side: of both a thread loads 16 bytes at a time. And the 32 threads that run together
/// take 4 x 8 elements, numbered so that in each four two share a row and two share a column:
/// scratch memory then serves twice as many at once. Rows of tiles are a pack longer than they need
/// be, so that they begin in different banks.
///
/// Where C's columns are contiguous (LayoutLeft) the same code computes C^T = B^T A^T: neighbouring
/// threads then read neighbouring elements of memory, as they do along the rows of row-major
/// matrices.
///
/// Returns false, and does nothing, where a team cannot have Tile * Tile threads.
template <int Tile, class Space, class Matrix>
bool swizzled_by_threads(const Space& space, const Matrix& a, const Matrix& b, const Matrix& c) {
  using T = typename Matrix::value_type;
  using Policy = Kokkos::TeamPolicy<Space>;
  constexpr bool left = std::is_same_v<typename Matrix::array_layout, Kokkos::LayoutLeft>;
  constexpr int lanes = 16 / sizeof(T), pitch = Tile + lanes;
  static_assert(Tile % 8 == 0, "a tile is whole blocks of 4 x 8 elements and whole packs");
  constexpr std::size_t bytes = 2 * Tile * pitch * sizeof(T);
  const std::int64_t rows = c.extent(left ? 1 : 0), columns = c.extent(left ? 0 : 1);
  const std::int64_t depth = a.extent(1);
  const int down = static_cast<int>((rows + Tile - 1) / Tile);
  const int across = static_cast<int>((columns + Tile - 1) / Tile);
  // P Q = C, or P = B^T and Q = A^T: where their tiles begin, and how far apart elements are.
  const T* const p = left ? b.data() : a.data();
  const T* const q = left ? a.data() : b.data();
  const std::int64_t p_down = left ? b.stride(1) : a.stride(0),
                     p_across = left ? b.stride(0) : a.stride(1),
                     q_down = left ? a.stride(1) : b.stride(0),
                     q_across = left ? a.stride(0) : b.stride(1);
  const auto body = KOKKOS_LAMBDA(const typename Policy::member_type& team) {
    T* const p_tile = static_cast<T*>(team.team_scratch(0).get_shmem_aligned(bytes, 16));
    T* const q_tile = p_tile + Tile * pitch;
    const int me = team.team_rank(), ti = me / Tile, tj = me % Tile;  // brings these elements
    const int block = me / 32;                                        // and computes this one
    const int ci = (me >> 1 & 1) + (me >> 2 & 2) + block % (Tile / 4) * 4;
    const int cj = (me & 1) + (me >> 1 & 2) + (me >> 2 & 4) + block / (Tile / 4) * 8;
    const std::int64_t i = std::int64_t{team.league_rank() / across} * Tile;
    const std::int64_t j = std::int64_t{team.league_rank() % across} * Tile;
    const bool p_in = i + ti < rows, q_in = j + tj < columns;
    const T* from_p = p + (i + ti) * p_down + tj * p_across;
    const T* from_q = q + ti * q_down + (j + tj) * q_across;
    T sum = 0;
    for (std::int64_t l = 0; l < depth; l += Tile) {
      p_tile[ti * pitch + tj] = p_in && l + tj < depth ? *from_p : T(0);
      q_tile[tj * pitch + ti] = q_in && l + ti < depth ? *from_q : T(0);
      from_p += Tile * p_across;
      from_q += Tile * q_down;
      team.team_barrier();
      for (int e = 0; e < Tile; e += lanes) {
        const auto x = *reinterpret_cast<const Pack<T, lanes>*>(p_tile + ci * pitch + e);
        const auto y = *reinterpret_cast<const Pack<T, lanes>*>(q_tile + cj * pitch + e);
        for (int v = 0; v < lanes; ++v) sum += x.value[v] * y.value[v];
      }
      team.team_barrier();
    }
    if (i + ci < rows && j + cj < columns) c(left ? j + cj : i + ci, left ? i + ci : j + cj) = sum;
  };
  const auto scratch = Kokkos::PerTeam(bytes + 16);
  if (Policy(space, 1, 1)
          .set_scratch_size(0, scratch)
          .team_size_max(body, Kokkos::ParallelForTag{}) < Tile * Tile)
    return false;
  Kokkos::parallel_for("parallax::matmul::tiled_swizzled",
                       Policy(space, down * across, Tile * Tile).set_scratch_size(0, scratch),
                       body);
  return true;
}

/// The same for any team size, also 1: a team's threads share the elements of its tile, whose sums
/// are a third tile in scratch. On a host a team is one thread, and its inner loop runs along a row
/// of the tile.
template <class Space, class Matrix>
void swizzled_clamped(const Space& space, const Matrix& a, const Matrix& b, const Matrix& c,
                      int width, int team_size) {
  using T = typename Matrix::value_type;
  using Policy = Kokkos::TeamPolicy<Space>;
  const std::int64_t m = c.extent(0), n = c.extent(1), depth = a.extent(1);
  const int down = static_cast<int>((m + width - 1) / width);
  const int across = static_cast<int>((n + width - 1) / width);
  if (down * across == 0) return;
  const std::size_t bytes = swizzled_scratch_bytes<T>(width);
  Kokkos::parallel_for(
      "parallax::matmul::tiled_swizzled::clamped",
      Policy(space, down * across, team_size).set_scratch_size(0, Kokkos::PerTeam(bytes + 16)),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        T* a_tile = static_cast<T*>(team.team_scratch(0).get_shmem_aligned(bytes, 16));
        T* b_tile = a_tile + width * width;
        T* c_tile = b_tile + width * width;
        const std::int64_t i = std::int64_t{team.league_rank() / across} * width;
        const std::int64_t j = std::int64_t{team.league_rank() % across} * width;
        const auto each = Kokkos::TeamThreadRange(team, width);  // a row of a tile for each thread
        Kokkos::parallel_for(each, [&](int r) {
          for (int s = 0; s < width; ++s) c_tile[r * width + s] = 0;
        });
        for (std::int64_t l = 0; l < depth; l += width) {
          Kokkos::parallel_for(each, [&](int r) {
            for (int s = 0; s < width; ++s) {
              a_tile[r * width + s] = i + r < m && l + s < depth ? a(i + r, l + s) : T(0);
              b_tile[r * width + s] = l + r < depth && j + s < n ? b(l + r, j + s) : T(0);
            }
          });
          team.team_barrier();
          Kokkos::parallel_for(each, [&](int r) {
            for (int e = 0; e < width; ++e)
              for (int s = 0; s < width; ++s)
                c_tile[r * width + s] += a_tile[r * width + e] * b_tile[e * width + s];
          });
          team.team_barrier();
        }
        Kokkos::parallel_for(each, [&](int r) {
          for (int s = 0; s < width; ++s)
            if (i + r < m && j + s < n) c(i + r, j + s) = c_tile[r * width + s];
        });
      });
}

/// Threads of a team of `tiled_swizzled`: by the first form where its tile is compiled, else
/// by the clamped one.
template <class Space>
constexpr int swizzled_team(int width) {
  if (is_host_space<Space>) return 1;
  if (width == 8 || width == 16 || width == 32) return width * width;
  return width < 64 ? width : 64;
}

/// One or the other. A tile needs swizzled_scratch_bytes<T>(width) bytes of scratch at most.
template <class Space, class Matrix>
void tiled_swizzled(const Space& space, const Matrix& a, const Matrix& b, const Matrix& c,
                    int width) {
  if (c.size() == 0) return;
  if constexpr (!is_host_space<Space>) {
    if (width == 8 && swizzled_by_threads<8>(space, a, b, c)) return;
    if (width == 16 && swizzled_by_threads<16>(space, a, b, c)) return;
    if (width == 32 && swizzled_by_threads<32>(space, a, b, c)) return;
  }
  swizzled_clamped(space, a, b, c, width, is_host_space<Space> ? 1 : width < 64 ? width : 64);
}

}  // namespace parallax::kernels::matmul
