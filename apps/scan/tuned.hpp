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
/// host. 84 KiB on a device, so that there are few tiles to look back at; 32 KiB on a host, a first
/// cache. `teams` of them share a multiprocessor: that many registers hold the packs. An odd number
/// of loads, so that a warp's threads find their sums in 32 different banks of scratch memory.
template <class Space, class T>
struct ScanTile {
  static constexpr bool host = is_host_space<Space>;
  static constexpr int warps = host ? 1 : 8, warp = host ? 1 : 32, team_size = warps * warp,
                       loads = host ? 512 : 21, teams = host ? 0 : 2,
                       lanes = (host ? 64 : 16) / static_cast<int>(sizeof(T)),
                       packs = team_size * loads;
  /// Packs that are computed before the first is stored: a CPU's stores past the cache wait for
  /// what comes between them.
  static constexpr int burst = host ? 8 : 1;
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

/// For one thread of a host, which knows what is before a tile and need not look back. It reads and
/// writes in turn, and adds in the same order as teams. (With a function for the loops that
/// `look_back` has too, GCC makes both a third slower.)
template <class Space, class Array, int lanes>
void one_after_the_other(const Space& space, const ScanPacks<Array, lanes>& packs) {
  using T = typename Array::non_const_value_type;
  using Tile = ScanTile<Space, T>;
  constexpr int burst = Tile::burst;
  const std::int64_t all = Tile::count(packs.n) * Tile::packs;
  Kokkos::parallel_for(
      "parallax::scan::look_back::one_thread", Range<Space>(space, 0, 1),
      KOKKOS_LAMBDA(std::int64_t) {
        T before = 0, total = 0;  // of the tiles before, and of this one so far
        for (std::int64_t p = 0; p < all; p += burst) {
          if (p % Tile::packs == 0) {
            before += total;
            total = 0;
          }
          Pack<T, lanes> x[burst], y[burst];
          T start[burst];
          for (int u = 0; u < burst; ++u) x[u] = packs.load(p + u);
          for (int u = 0; u < burst; ++u) {
            T of_pack = 0;
            for (int l = 0; l < lanes; ++l) of_pack += x[u].value[l];
            start[u] = before + total;
            total += of_pack;
          }
          for (int u = 0; u < burst; ++u)
            for (int l = 0; l < lanes; ++l) {
              y[u].value[l] = start[u];
              start[u] += x[u].value[l];
            }
          for (int u = 0; u < burst; ++u) packs.store(p + u, y[u]);
        }
        packs.offsets(packs.n) = before + total;
        KOKKOS_IF_ON_HOST((bindings::stream_fence();))
      });
}

/// A warp has neighbouring packs. Its threads load them side by side and put each pack's sum into
/// scratch memory, where each thread then finds the sums of neighbouring packs. What the tile adds
/// up to is published before that; the first warp looks back when it is done.
template <class Space, class Array>
void look_back(const Space& space, const Array& a, const Array& offsets,
               const Kokkos::View<std::uint64_t*, typename Space::memory_space>& words) {
  using T = typename Array::non_const_value_type;
  using Tile = ScanTile<Space, T>;
  using Packs = ScanPacks<Array, Tile::lanes>;
  using Sums = PublishedSums<T>;
  using Policy = Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<Tile::team_size, Tile::teams>>;
  using Scratch = Kokkos::View<T*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  constexpr int warps = Tile::warps, warp = Tile::warp, loads = Tile::loads, lanes = Tile::lanes,
                burst = Tile::burst;
  const Packs packs(a, offsets);
  if constexpr (Tile::host)
    if (space.concurrency() == 1) return one_after_the_other(space, packs);
  const Sums sums{words.data() + 1};
  const auto tiles = Tile::count(packs.n);
  std::uint64_t* next = words.data();
  Kokkos::deep_copy(space, words, 0);
  Kokkos::parallel_for(
      "parallax::scan::look_back",
      Policy(space, static_cast<int>(tiles), warps, warp)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(Tile::packs) +
                                               Scratch::shmem_size(warps + 1))),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Scratch starts(team.team_scratch(0), Tile::packs);
        const Scratch of_warps(team.team_scratch(0), warps + 1);  // and what is before the tile
        const auto whole_warp = Kokkos::ThreadVectorRange(team, int{warp});
        const int w = team.team_rank();
        int me = 0;
        Kokkos::parallel_for(whole_warp, [&](int t) { me = t; });
        T* const start = &starts(w * warp * loads);
        const std::int64_t tile = take_ticket(team, next);
        const std::int64_t first = tile * Tile::packs + w * warp * loads + me;
        typename Packs::P x[loads];
        for (int j = 0; j < loads; ++j) x[j] = packs.load(first + j * warp);
        T mine = 0;
        for (int j = 0; j < loads; ++j) {
          T sum = 0;
          for (int l = 0; l < lanes; ++l) sum += x[j].value[l];
          start[j * warp + me] = sum;
          mine += sum;
        }
        T of_warp = 0;
        const T of_thread = mine;  // no lambda sees `mine`, which can be in a register
        Kokkos::parallel_reduce(
            whole_warp, [&](int, T& sum) { sum += of_thread; }, of_warp);
        Kokkos::single(Kokkos::PerThread(team), [&] { of_warps(w) = of_warp; });
        team.team_barrier();
        T run = 0, total = 0;
        for (int k = 0; k < warps; ++k) {
          if (k < w) run += of_warps(k);
          total += of_warps(k);
        }
        if (w == 0)
          Kokkos::single(Kokkos::PerThread(team),
                         [&] { sums.publish(tile, Sums::of_tile, total); });
        Kokkos::parallel_scan(whole_warp, [&](int t, T& before, bool final) {
          for (int k = 0; k < loads; ++k) {
            const T sum = start[t * loads + k];
            if (final) start[t * loads + k] = before;
            before += sum;
          }
        });
        if (w == 0) {
          const T before = sums.template before<warp>(team, tile);
          Kokkos::single(Kokkos::PerThread(team), [&] {
            sums.publish(tile, Sums::up_to_tile, before + total);
            of_warps(warps) = before;
            if (tile + 1 == tiles) packs.offsets(packs.n) = before + total;
          });
        }
        team.team_barrier();
        run += of_warps(warps);
        for (int j = 0; j < loads; j += burst) {
          typename Packs::P y[burst];
          for (int u = 0; u < burst; ++u) {
            T sum = run + start[(j + u) * warp + me];
            for (int l = 0; l < lanes; ++l) {
              y[u].value[l] = sum;
              sum += x[j + u].value[l];
            }
          }
          for (int u = 0; u < burst; ++u) packs.store(first + (j + u) * warp, y[u]);
        }
        KOKKOS_IF_ON_HOST((bindings::stream_fence();))
      });
}

}  // namespace parallax::kernels::scan
