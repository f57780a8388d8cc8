// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// matmul's `register_tiled`: C = A B in tiles of tiles, one source for GPUs and CPUs.
//
// A team computes a tile of C. Slice by slice it copies what it needs of A and B into scratch
// memory (on a CPU: buffers that stay in its cache), and each thread multiplies from there into
// micro-tiles of C in registers. A slice of depth d costs (rows + columns) d loads from caches or
// memory for rows * columns * d multiply-adds: with tiles of 128 x 128, one load for 64. In the
// same way a micro-tile of 16 x 8 takes one load from scratch for 5.3 multiply-adds.
//
// What differs between machines is numbers (RegisterTile) and who waits for whom. A GPU thread owns
// one micro-tile for the whole product, and fetches the next slice into registers while it
// multiplies this one. A CPU thread is a whole team: it has many micro-tiles and walks over them
// for every slice, which is deep, so that it pays to copy.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "device/unroll.hpp"
#include "matmul/tuned_slices.hpp"

namespace parallax::kernels::matmul {

/// A CPU thread's inner loop: c[Rows][Columns] += a panel of A times a panel of B. Plain loops over
/// arrays end up in memory or in half vectors, depending on the compiler; its own vector type says
/// what is meant.
template <class T, int Rows, int Columns, int Depth>
void multiply_panels(const T* a, const T* b, T* c) {
  typedef T Vector __attribute__((vector_size(vector_bytes), may_alias));
  constexpr int lanes = vector_bytes / sizeof(T), width = Columns / lanes;
  Vector sum[Rows][width];
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < width; ++j) sum[i][j] = reinterpret_cast<const Vector*>(c)[i * width + j];
  for (int l = 0; l < Depth; ++l) {
    Vector y[width];
    for (int j = 0; j < width; ++j) y[j] = reinterpret_cast<const Vector*>(b)[l * width + j];
    for (int i = 0; i < Rows; ++i)
      for (int j = 0; j < width; ++j) sum[i][j] += a[l * Rows + i] * y[j];
  }
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < width; ++j) reinterpret_cast<Vector*>(c)[i * width + j] = sum[i][j];
}

template <class Space, class T, class Tile, bool AlongA, bool AlongB, bool Add>
struct RegisterTiled {
  using Shape = TileShape<Space, T, Tile>;
  using Policy =
      Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<Tile::team_size, Tile::teams_per_core>>;
  using Member = typename Policy::member_type;
  using A = Operand<Shape, T, Tile::rows, Shape::a_width, AlongA>;
  using B = Operand<Shape, T, Tile::columns, Shape::b_width, AlongB>;
  static constexpr int MI = Tile::micro_rows, NJ = Tile::micro_columns, V = Tile::pack;

  A a;
  B b;
  T* c;
  std::int64_t c_row, c_column, m, n, depth;
  int tiles_down;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    constexpr std::size_t bytes = Shape::bytes;
    constexpr int level = Shape::level;
    T* scratch = static_cast<T*>(team.team_scratch(level).get_shmem_aligned(bytes, 64));
    const std::int64_t row = std::int64_t{team.league_rank() % tiles_down} * Tile::rows;
    const std::int64_t column = std::int64_t{team.league_rank() / tiles_down} * Tile::columns;
    if constexpr (Shape::host) {
      on_core(scratch, row, column);
    } else {
      on_device(team, scratch, row, column);
    }
  }

  KOKKOS_FUNCTION void put(std::int64_t i, std::int64_t j, T x) const {
    if (i < m && j < n) set(c[i * c_row + j * c_column], x);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void set(T& element, T x) {
    if constexpr (Add)
      element += x;
    else
      element = x;
  }

  /// The whole tile by one thread.
  KOKKOS_FUNCTION void on_core(T* as, std::int64_t row, std::int64_t column) const {
    T* bs = as + Shape::a_elements;
    T* cs = bs + Shape::b_elements;
    for (int e = 0; e < Shape::c_elements; ++e) cs[e] = 0;
    for (std::int64_t slice = 0; slice < depth; slice += Tile::depth) {
      copy(a, as, row, slice);
      copy(b, bs, column, slice);
      for (int j = 0; j < Shape::across; ++j)
        for (int i = 0; i < Shape::down; ++i) {
          KOKKOS_IF_ON_HOST((multiply_panels<T, MI, NJ, Tile::depth>(
                                 as + i * Tile::depth * MI, bs + j * Tile::depth * NJ,
                                 cs + (j * Shape::down + i) * MI * NJ);))
        }
    }
    const bool lines = c_column == 1 && row + Tile::rows <= m && column + Tile::columns <= n;
    for (int t = 0; t < Shape::own; ++t)
      for (int i = 0; i < MI; ++i) {
        const T* from = cs + (t * MI + i) * NJ;
        const std::int64_t to_row = row + t % Shape::down * MI + i;
        const std::int64_t to_column = column + t / Shape::down * NJ;
        if (lines) {
          T* to = c + to_row * c_row + to_column;
          for (int j = 0; j < NJ; ++j) set(to[j], from[j]);
        } else {
          for (int j = 0; j < NJ; ++j) put(to_row, to_column + j, from[j]);
        }
      }
  }
  template <class Operand>
  KOKKOS_FUNCTION static void copy(const Operand& x, T* scratch, std::int64_t first,
                                   std::int64_t slice) {
    if (x.inside(first) && slice + Tile::depth <= x.depth) {
      for (int q = 0; q < Operand::packs; ++q)
        Operand::store(
            scratch, q,
            *reinterpret_cast<const typename Operand::Packed*>(x.at(q, first) + slice * x.inner));
    } else {
      for (int q = 0; q < Operand::packs; ++q) Operand::store(scratch, q, x.load(q, first, slice));
    }
  }

  /// The whole tile by a team whose threads have a micro-tile each. Its rows are packs that are
  /// `down` packs apart, its columns likewise, so that neighbouring threads read neighbouring packs
  /// of scratch.
  KOKKOS_FUNCTION void on_device(const Member& team, T* as, std::int64_t row,
                                 std::int64_t column) const {
    T* bs = as + Shape::a_elements * Shape::stages;
    const int me = team.team_rank();
    // 32 threads that run together take 4 x 8 micro-tiles, in an order in which neighbours share
    // the pack of a row or of a column: the scratch memory then serves them together.
    const int group = me / 32;
    const int i0 = (me >> 1 & 1) + (me >> 2 & 2) + group % (Shape::down / 4) * 4;
    const int j0 = (me & 1) + (me >> 1 & 2) + (me >> 2 & 4) + group / (Shape::down / 4) * 8;

    const bool inside = a.inside(row) && b.inside(column);
    const auto whole = [&](std::int64_t slice) { return inside && slice + Tile::depth <= depth; };
    const T* from_a = a.at(me, row);
    const T* from_b = b.at(me, column);
    const std::int64_t stride_a = a.stride(), stride_b = b.stride();
    typename A::Packed next_a[A::packs];
    typename B::Packed next_b[B::packs];
    // A slice in the midst of the matrices comes by way of registers; one at an edge is copied when
    // it is due.
    const auto fetch = [&](std::int64_t slice) {
      if (!whole(slice)) return;
      for (int q = 0; q < A::packs; ++q)
        next_a[q] = *reinterpret_cast<const typename A::Packed*>(from_a + q * stride_a);
      for (int q = 0; q < B::packs; ++q)
        next_b[q] = *reinterpret_cast<const typename B::Packed*>(from_b + q * stride_b);
      from_a += Tile::depth * a.inner;
      from_b += Tile::depth * b.inner;
    };
    const auto keep = [&](std::int64_t slice, int stage) {
      T* to_a = as + stage * Shape::a_elements;
      T* to_b = bs + stage * Shape::b_elements;
      if (whole(slice)) {
        for (int q = 0; q < A::packs; ++q) A::store(to_a, me + q * Tile::team_size, next_a[q]);
        for (int q = 0; q < B::packs; ++q) B::store(to_b, me + q * Tile::team_size, next_b[q]);
      } else {
        for (int q = me; q < A::packs * Tile::team_size; q += Tile::team_size)
          A::store(to_a, q, a.load(q, row, slice));
        for (int q = me; q < B::packs * Tile::team_size; q += Tile::team_size)
          B::store(to_b, q, b.load(q, column, slice));
      }
    };

    T sum[MI][NJ] = {};
    fetch(0);
    keep(0, 0);
    team.team_barrier();
    int stage = 0;
    for (std::int64_t slice = 0; slice < depth; slice += Tile::depth) {
      fetch(slice + Tile::depth);
      multiply(as + stage * Shape::a_elements + i0 * V, bs + stage * Shape::b_elements + j0 * V,
               sum);
      stage = 1 - stage;
      if (slice + Tile::depth < depth) keep(slice + Tile::depth, stage);
      team.team_barrier();
    }
    // The sums stay in registers only if all that indexes them are constants, to the very end.
    T* const corner = c + (row + i0 * V) * c_row + (column + j0 * V) * c_column;
    const std::int64_t rows_left = m - row - i0 * V, columns_left = n - column - j0 * V;
    unrolled<MI>([&](auto i) {
      constexpr int down = i / V * Shape::down * V + i % V;
      unrolled<NJ>([&](auto j) {
        constexpr int across = j / V * Shape::across * V + j % V;
        if (down < rows_left && across < columns_left)
          set(corner[down * c_row + across * c_column], sum[i][j]);
      });
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION static void multiply(const T* as, const T* bs, T (&sum)[MI][NJ]) {
    unrolled<Tile::depth>([&](auto l) {
      Pack<T, V> x[MI / V], y[NJ / V];
      unrolled<MI / V>([&](auto p) {
        x[p] = *reinterpret_cast<const Pack<T, V>*>(as + l * Shape::a_pitch + p * Shape::down * V);
      });
      unrolled<NJ / V>([&](auto p) {
        y[p] =
            *reinterpret_cast<const Pack<T, V>*>(bs + l * Shape::b_pitch + p * Shape::across * V);
      });
      unrolled<MI>([&](auto i) {
        unrolled<NJ>([&](auto j) { sum[i][j] += x[i / V].value[i % V] * y[j / V].value[j % V]; });
      });
    });
  }
};

/// C = A B; C += A B with `Add`. The three may have different layouts; leading dimensions that are
/// no multiple of a pack are slower.
template <bool Add = false, class Space, class MatrixA, class MatrixB, class MatrixC>
void register_tiled(const Space& space, const MatrixA& a, const MatrixB& b, const MatrixC& c) {
  using T = typename MatrixC::non_const_value_type;
  constexpr bool a_left = std::is_same_v<typename MatrixA::array_layout, Kokkos::LayoutLeft>;
  constexpr bool b_left = std::is_same_v<typename MatrixB::array_layout, Kokkos::LayoutLeft>;
  using Tile = RegisterTile<is_host_space<Space>, T>;
  using Kernel = RegisterTiled<Space, T, Tile, a_left, !b_left, Add>;
  using Shape = typename Kernel::Shape;
  const std::int64_t m = c.extent(0), n = c.extent(1), depth = a.extent(1);
  if (m == 0 || n == 0) return;
  const std::int64_t a0 = a.stride(0), a1 = a.stride(1), b0 = b.stride(0), b1 = b.stride(1);
  const auto wide = [](const T* data, std::int64_t contiguous, std::int64_t leading) {
    return contiguous == 1 && leading % Tile::pack == 0 &&
           reinterpret_cast<std::uintptr_t>(data) % (Tile::pack * sizeof(T)) == 0;
  };
  const bool a_wide = wide(a.data(), a_left ? a0 : a1, a_left ? a1 : a0);
  const bool b_wide = wide(b.data(), b_left ? b0 : b1, b_left ? b1 : b0);
  const int down = static_cast<int>((m + Tile::rows - 1) / Tile::rows);
  const int across = static_cast<int>((n + Tile::columns - 1) / Tile::columns);
  const Kernel kernel{{a.data(), a0, a1, m, depth, a_wide},
                      {b.data(), b1, b0, n, depth, b_wide},
                      c.data(),
                      static_cast<std::int64_t>(c.stride(0)),
                      static_cast<std::int64_t>(c.stride(1)),
                      m,
                      n,
                      depth,
                      down};
  Kokkos::parallel_for("parallax::matmul::register_tiled",
                       typename Kernel::Policy(space, down * across, Tile::team_size)
                           .set_scratch_size(Shape::level, Kokkos::PerTeam(Shape::bytes + 64)),
                       kernel);
}

}  // namespace parallax::kernels::matmul
