// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The small parts of matmul's `register_tiled`: its tuning, and the copies of A and B in scratch.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include "device/pack.hpp"
#include "device/tuning.hpp"

namespace parallax::kernels::matmul {

/// The bytes of the widest vector register that the compiler may use on the host.
inline constexpr int vector_bytes = __BIGGEST_ALIGNMENT__;

/// The tuning of one space and precision. A team's tile of C has rows x columns elements, a slice
/// of the tile's rows of A or columns of B is `depth` deep, and a thread multiplies micro_rows x
/// micro_columns elements at a time.
template <int Threads, int Rows, int Columns, int Depth, int MicroRows, int MicroColumns, int Lanes>
struct Tuning {
  static constexpr int team_size = Threads, teams_per_core = Threads == 128 ? 2 : 1;
  static constexpr int rows = Rows, columns = Columns, depth = Depth;
  static constexpr int micro_rows = MicroRows, micro_columns = MicroColumns;
  static constexpr int pack = Lanes;  ///< elements that one load brings
};
/// Of CPUs: micro-tiles two vectors wide, and as high as there are registers.
template <bool Host, class T>
struct RegisterTile : Tuning<1, 192, 256, 256, vector_bytes >= 64 ? 12 : 6,
                             2 * vector_bytes / static_cast<int>(sizeof(T)),
                             vector_bytes / static_cast<int>(sizeof(T))> {};
/// Of GPUs: the micro-tiles of 256 threads fill the registers of a multiprocessor. Each
/// multiply-add takes its operands from registers, and the larger the micro-tile, the fewer loads
/// from scratch bring them there.
template <>
struct RegisterTile<false, float> : Tuning<128, 128, 128, 8, 16, 8, 4> {};
template <>
struct RegisterTile<false, double> : Tuning<256, 128, 128, 8, 8, 8, 2> {};

/// What follows from the tuning.
template <class Space, class T, class Tile>
struct TileShape : Tile {
  static constexpr bool host = is_host_space<Space>;
  static constexpr int down =
      Tile::rows / Tile::micro_rows;  ///< micro-tiles in a column of the tile
  static constexpr int across = Tile::columns / Tile::micro_columns;
  static constexpr int own = down * across / Tile::team_size;  ///< micro-tiles of one thread
  static_assert(own * Tile::team_size == down * across, "every thread has as many micro-tiles");
  // Scratch holds panels of `width` elements by `depth`. On a CPU a panel is what a micro-tile
  // reads, from its first byte to its last; on a GPU it is the whole slice, and each of its lines
  // is one pack longer than it need be, so that what neighbouring threads store falls into
  // different banks.
  static constexpr int a_width = host ? Tile::micro_rows : Tile::rows;
  static constexpr int b_width = host ? Tile::micro_columns : Tile::columns;
  static constexpr int pad = host ? 0 : Tile::pack;
  static constexpr int a_pitch = a_width + pad, b_pitch = b_width + pad;
  static constexpr int a_elements = Tile::rows / a_width * Tile::depth * a_pitch;
  static constexpr int b_elements = Tile::columns / b_width * Tile::depth * b_pitch;
  // A GPU fills one pair of slices while it uses another; a CPU thread keeps its micro-tiles of C
  // in scratch.
  static constexpr int stages = host ? 1 : 2;
  static constexpr int c_elements = host ? Tile::rows * Tile::columns : 0;
  static constexpr int level = host ? 1 : 0;
  static constexpr std::size_t bytes =
      ((a_elements + b_elements) * stages + c_elements) * sizeof(T);
};

/// One operand and its way into scratch, slice by slice. `Length` is a slice's extent along C (rows
/// for A, columns for B), `Width` a panel's extent; `Along`: the elements along C are the
/// contiguous ones.
template <class Shape, class T, int Length, int Width, bool Along>
struct Operand {
  const T* data;
  std::int64_t along, inner;   ///< strides along C and along the depth
  std::int64_t extent, depth;  ///< of the matrix
  bool wide;                   ///< every line begins at a multiple of a pack

  static constexpr int pack = Shape::pack;
  static constexpr int packs = Length * Shape::depth / pack / Shape::team_size;  ///< of each thread
  static constexpr int line = (Along ? Length : Shape::depth) / pack;  ///< packs in a line
  static_assert(packs * pack * Shape::team_size == Length * Shape::depth, "all load as many");
  static_assert(Shape::host || Shape::team_size % line == 0,
                "a thread's packs are equally far apart");
  using Packed = Pack<T, pack>;

  /// Pack `q` of a slice begins at o along C and d along the depth.
  KOKKOS_FUNCTION static int o(int q) { return Along ? q % line * pack : q / line; }
  KOKKOS_FUNCTION static int d(int q) { return Along ? q / line : q % line * pack; }

  /// Is the tile that begins at `first` inside the matrix? Then its whole slices may be
  /// loaded in packs.
  KOKKOS_FUNCTION bool inside(std::int64_t first) const { return wide && first + Length <= extent; }
  /// Where pack q of the first slice is, and how far it is to the same thread's next pack.
  KOKKOS_FUNCTION const T* at(int q, std::int64_t first) const {
    return data + (first + o(q)) * along + d(q) * inner;
  }
  KOKKOS_FUNCTION std::int64_t stride() const {
    return Shape::team_size / line * (Along ? inner : along);
  }

  /// Pack q of the slice that begins at `first` and `slice`, zeros outside of the matrix.
  KOKKOS_FUNCTION Packed load(int q, std::int64_t first, std::int64_t slice) const {
    Packed x;
    for (int v = 0; v < pack; ++v) {
      const std::int64_t i = first + o(q) + (Along ? v : 0), l = slice + d(q) + (Along ? 0 : v);
      x.value[v] = i < extent && l < depth ? data[i * along + l * inner] : T(0);
    }
    return x;
  }

  /// Copies pack q into its place in scratch: as a pack where a panel has its elements side by
  /// side.
  KOKKOS_FUNCTION static void store(T* scratch, int q, const Packed& x) {
    constexpr int pitch = Width + Shape::pad;
    const auto place = [&](int i, int l) {
      return scratch + i / Width * (Shape::depth * pitch) + l * pitch + i % Width;
    };
    if constexpr (Along && Width % pack == 0) {
      *reinterpret_cast<Packed*>(place(o(q), d(q))) = x;
    } else if constexpr (Along) {
      for (int v = 0; v < pack; ++v) *place(o(q) + v, d(q)) = x.value[v];
    } else {
      T* const to = place(o(q), d(q));
      for (int v = 0; v < pack; ++v) to[v * pitch] = x.value[v];
    }
  }
};

}  // namespace parallax::kernels::matmul
