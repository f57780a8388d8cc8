// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// transpose near a copy's rate: tiles of whole packs, several loads in flight for each thread, and
// on a host stores past the cache.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include "device/pack.hpp"
#include "device/stream_store.hpp"
#include "device/tuning.hpp"

namespace parallax::kernels::transpose {

/// A tile of `wide`. A GPU thread moves packs of 16 bytes, and has up to 8 loads in flight; a
/// host's core moves cache lines, four from each row.
template <class Space, class T>
struct WideTile {
  static constexpr bool host = is_host_space<Space>;
  static constexpr int width = host ? 256 / static_cast<int>(sizeof(T)) : 64,
                       team_size = host ? 1 : 256,
                       lanes = (host ? 64 : 16) / static_cast<int>(sizeof(T));
};

template <int lanes, class Space, class Matrix>
void by_packs(const Space& space, const Matrix& in, const Matrix& out, bool past_cache) {
  using T = typename Matrix::non_const_value_type;
  using Tile = WideTile<Space, T>;
  using P = Pack<T, lanes>;
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<Tile::team_size>>;
  // Padded by one number: columns of the tile are in other banks, and in other sets of a cache.
  using Scratch = Kokkos::View<T[Tile::width][Tile::width + 1], Kokkos::LayoutRight,
                               typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  constexpr int width = Tile::width, threads = Tile::team_size, row_packs = width / lanes;
  constexpr int packs = width * row_packs / threads;  // of a thread
  constexpr int at_once = Tile::host ? 1 : packs < 8 ? packs : 8;
  const std::int64_t rows = in.extent(0), columns = in.extent(1);
  const std::int64_t across = (columns + width - 1) / width, down = (rows + width - 1) / width;
  const T* from = in.data();
  T* to = out.data();
  Kokkos::parallel_for(
      "parallax::transpose::wide",
      Policy(space, static_cast<int>(across * down), threads)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size())),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Scratch x(team.team_scratch(0));
        // Down a column of tiles, whose rows of `out` are whole then: 2 to 5 % faster on a GPU.
        const std::int64_t row = team.league_rank() % down * width;
        const std::int64_t column = team.league_rank() / down * width;
        const int me = team.team_rank();
        for (int first = 0; first < packs; first += at_once) {
          P pack[at_once] = {};
          for (int k = 0; k < at_once; ++k) {
            const int p = (first + k) * threads + me, i = p / row_packs, j = p % row_packs * lanes;
            if (row + i < rows && column + j < columns)
              pack[k] = *reinterpret_cast<const P*>(from + (row + i) * columns + column + j);
          }
          for (int k = 0; k < at_once; ++k) {
            const int p = (first + k) * threads + me, i = p / row_packs, j = p % row_packs * lanes;
            for (int l = 0; l < lanes; ++l) x(i, j + l) = pack[k].value[l];
          }
        }
        team.team_barrier();
        for (int k = 0; k < packs; ++k) {
          const int p = k * threads + me, j = p / row_packs, i = p % row_packs * lanes;
          if (row + i >= rows || column + j >= columns) continue;
          P pack;
          for (int l = 0; l < lanes; ++l) pack.value[l] = x(i + l, j);
          P* place = reinterpret_cast<P*>(to + (column + j) * rows + row + i);
          // Asked on the device as well: nvcc wants the same captures in both of its passes.
          if (sizeof(P) % 64 == 0 && past_cache) {
            KOKKOS_IF_ON_HOST((bindings::stream_store(place, &pack, sizeof(P)); continue;))
          }
          *place = pack;
        }
        KOKKOS_IF_ON_HOST((bindings::stream_fence();))
      });
}

/// Where every row begins with a pack, in both matrices, a thread moves packs; else elements.
template <class Space, class Matrix>
void wide(const Space& space, const Matrix& in, const Matrix& out) {
  using T = typename Matrix::non_const_value_type;
  constexpr int lanes = WideTile<Space, T>::lanes;
  const auto fits = [](const Matrix& m) {
    return m.extent(1) % lanes == 0 &&
           reinterpret_cast<std::uintptr_t>(m.data()) % (lanes * sizeof(T)) == 0;
  };
  const bool past_cache = WideTile<Space, T>::host && in.size() * sizeof(T) >= std::size_t{64}
                                                                                   << 20;
  if (fits(in) && fits(out))
    by_packs<lanes>(space, in, out, past_cache);
  else
    by_packs<1>(space, in, out, false);
}

}  // namespace parallax::kernels::transpose
