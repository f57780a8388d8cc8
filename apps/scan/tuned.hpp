// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// scan in one pass: `a` is read once, where lesson.hpp's kernels read it twice. A team keeps its
// tile in registers while it looks back at what the tiles before it add up to
// (device/look_back.hpp).
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "device/look_back.hpp"
#include "device/pack.hpp"
#include "device/stream_store.hpp"
#include "device/tuning.hpp"

namespace parallax::kernels::scan {

/// A tile of `look_back`: each thread has `loads` packs, 16 bytes on a device and a cache line on a
/// host. 40 KiB on a device, so that there are few tiles to look back at; 32 KiB on a host, a first
/// cache. `teams` of them share a multiprocessor: that many registers hold the packs.
template <class Space, class T>
struct ScanTile {
  static constexpr bool host = is_host_space<Space>;
  static constexpr int team_size = host ? 1 : 128, loads = host ? 512 : 20, teams = host ? 0 : 4,
                       lanes = (host ? 64 : 16) / static_cast<int>(sizeof(T)),
                       packs = team_size * loads;
  static constexpr std::int64_t numbers = std::int64_t{packs} * lanes;
  static std::int64_t count(std::int64_t n) {
    return n < numbers ? 1 : (n + numbers - 1) / numbers;
  }
  /// Words that `look_back` needs: a ticket, and the tiles' sums.
  static std::int64_t words(std::int64_t n) { return 1 + count(n) * PublishedSums<T>::words; }
};

/// Arrays as packs. What begins between two packs, and the pack with the end, goes by elements.
template <class Array, int lanes>
struct ScanPacks {
  using T = typename Array::non_const_value_type;
  using P = Pack<T, lanes>;
  Array a, offsets;
  bool aligned;     ///< both
  bool past_cache;  ///< stores that read nothing first (device/stream_store.hpp)
  std::int64_t n;

  ScanPacks(const Array& from, const Array& to)
      : a(from), offsets(to), n(static_cast<std::int64_t>(from.extent(0))) {
    const auto fits = [](const void* p) {
      return reinterpret_cast<std::uintptr_t>(p) % sizeof(P) == 0;
    };
    aligned = fits(a.data()) && fits(offsets.data());
    past_cache = n * static_cast<std::int64_t>(sizeof(T)) >= std::int64_t{64} << 20;
  }
  /// Zeros beyond the end.
  KOKKOS_FUNCTION P load(std::int64_t p) const {
    if (aligned && (p + 1) * lanes <= n) return reinterpret_cast<const P*>(a.data())[p];
    P x{};
    for (int l = 0; l < lanes; ++l)
      if (p * lanes + l < n) x.value[l] = a(p * lanes + l);
    return x;
  }
  KOKKOS_FUNCTION void store(std::int64_t p, const P& x) const {
    if (aligned && (p + 1) * lanes <= n) {
      P* to = reinterpret_cast<P*>(offsets.data()) + p;
      KOKKOS_IF_ON_HOST((
          if (sizeof(P) % 64 == 0 && past_cache) return bindings::stream_store(to, &x, sizeof(P));))
      *to = x;
    } else {
      for (int l = 0; l < lanes; ++l)
        if (p * lanes + l < n) offsets(p * lanes + l) = x.value[l];
    }
  }
};

/// Neighbouring threads load neighbouring packs, whose sums go to scratch memory; there each thread
/// takes the sums of neighbouring packs, and the team's scan of what these add up to says where
/// every pack of the tile starts.
template <class Space, class Array>
void look_back(const Space& space, const Array& a, const Array& offsets,
               const Kokkos::View<std::uint64_t*, typename Space::memory_space>& words) {
  using T = typename Array::non_const_value_type;
  using Tile = ScanTile<Space, T>;
  using Packs = ScanPacks<Array, Tile::lanes>;
  using Sums = PublishedSums<T>;
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<Tile::team_size, Tile::teams>>;
  using Scratch = Kokkos::View<T*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  constexpr int threads = Tile::team_size, loads = Tile::loads, lanes = Tile::lanes;
  const Packs packs(a, offsets);
  const Sums sums{words.data() + 1};
  const auto tiles = Tile::count(packs.n);
  std::uint64_t* next = words.data();
  Kokkos::deep_copy(space, words, 0);
  Kokkos::parallel_for(
      "parallax::scan::look_back",
      Policy(space, static_cast<int>(tiles), threads)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(Tile::packs))),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Scratch start(team.team_scratch(0), Tile::packs);
        const int me = team.team_rank();
        const std::int64_t tile = take_ticket(team, next), first = tile * Tile::packs + me;
        typename Packs::P x[loads];
        for (int j = 0; j < loads; ++j) x[j] = packs.load(first + j * threads);
        for (int j = 0; j < loads; ++j) {
          T sum = 0;
          for (int l = 0; l < lanes; ++l) sum += x[j].value[l];
          start(j * threads + me) = sum;
        }
        team.team_barrier();
        T mine = 0;
        for (int k = 0; k < loads; ++k) mine += start(me * loads + k);
        T run = team.team_scan(mine), total = run + mine;
        team.team_broadcast(total, threads - 1);
        if (me == 0) sums.publish(tile, Sums::of_tile, total);
        const T before = sums.before(team, tile);
        if (me == 0) sums.publish(tile, Sums::up_to_tile, before + total);
        run += before;
        for (int k = 0; k < loads; ++k) {
          const T next_run = run + start(me * loads + k);
          start(me * loads + k) = run;
          run = next_run;
        }
        team.team_barrier();
        for (int j = 0; j < loads; ++j) {
          T sum = start(j * threads + me);
          for (int l = 0; l < lanes; ++l) {
            const T number = x[j].value[l];
            x[j].value[l] = sum;
            sum += number;
          }
          packs.store(first + j * threads, x[j]);
        }
        if (tile + 1 == tiles && me == 0) packs.offsets(packs.n) = before + total;
        KOKKOS_IF_ON_HOST((bindings::stream_fence();))
      });
}

}  // namespace parallax::kernels::scan
