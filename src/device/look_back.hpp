// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Look-back: how teams of one kernel learn what the tiles before theirs add up to (D. Merrill,
// M. Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016). A team publishes
// the sum of its tile, and then the sum up to it; later ones add up what they find.
//
// No team waits for ever: tiles are numbered by a ticket that a team takes when it starts, never by
// league_rank. A team waits only for smaller tickets, whose teams have started, and the smallest
// ticket waits for none. On a host, teams of one thread run in the order of their tickets.
//
// radix_pass.hpp has 256 sums a tile and walks with a thread for each; here a tile has one sum, and
// one warp walks while its team's others wait.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <thread>

namespace parallax::kernels {

/// Reads and writes of a word that other threads are watching: whole, and never kept in a register.
/// (Kokkos' atomic_load and atomic_store would do, but are loops of compare-and-swap.)
template <class T>
KOKKOS_INLINE_FUNCTION T peek(const T* word) {
  KOKKOS_IF_ON_HOST((return __atomic_load_n(word, __ATOMIC_RELAXED);))
  KOKKOS_IF_ON_DEVICE((return *static_cast<const volatile T*>(word);))
}
template <class T>
KOKKOS_INLINE_FUNCTION void post(T* word, T value) {
  KOKKOS_IF_ON_HOST((__atomic_store_n(word, value, __ATOMIC_RELAXED);))
  KOKKOS_IF_ON_DEVICE((*static_cast<volatile T*>(word) = value;))
}

/// The next tile's number, the same for all threads of a team. `next` is 0 before the kernel.
template <class Member>
KOKKOS_FUNCTION std::int64_t take_ticket(const Member& team, std::uint64_t* next) {
  std::uint64_t ticket = 0;
  Kokkos::single(
      Kokkos::PerTeam(team),
      [&](std::uint64_t& mine) { mine = Kokkos::atomic_fetch_add(next, std::uint64_t{1}); },
      ticket);
  return static_cast<std::int64_t>(ticket);
}

/// The sums that tiles have published. A word of 64 bits has 32 bits of the sum and the state, and
/// a sum of 64 bits takes two words, which a reader takes only if their states agree. So a state
/// never comes without its sum, in whatever order stores arrive, and no fence is needed.
template <class T>
struct PublishedSums {
  static constexpr int words = sizeof(T) / 4;  ///< a tile
  enum State : std::uint64_t { nothing, of_tile, up_to_tile };
  struct Parts {
    std::uint32_t part[words];
  };
  std::uint64_t* word;  ///< all 0 before the kernel

  KOKKOS_FUNCTION void publish(std::int64_t tile, State state, T sum) const {
    const auto bits = Kokkos::bit_cast<Parts>(sum);
    for (int k = 0; k < words; ++k)
      post(word + tile * words + k, static_cast<std::uint64_t>(state) << 32 | bits.part[k]);
  }

  /// Waits until the tile has published; returns the state of what it found.
  KOKKOS_FUNCTION State wait_for(std::int64_t tile, T& sum) const {
    for (;;) {
      const std::uint64_t first = peek(word + tile * words);
      Parts bits;
      bool agree = first >> 32 != nothing;
      for (int k = 0; k < words; ++k) {
        const std::uint64_t seen = k == 0 ? first : peek(word + tile * words + k);
        agree = agree && seen >> 32 == first >> 32;
        bits.part[k] = static_cast<std::uint32_t>(seen);
      }
      if (agree) {
        sum = Kokkos::bit_cast<T>(bits);
        return static_cast<State>(first >> 32);
      }
      KOKKOS_IF_ON_HOST((std::this_thread::yield();))  // there may be more threads than cores
    }
  }

  /// The sum of all tiles before `tile`, found by the `lanes` of one thread: each asks another
  /// tile, the first lane the nearest, and the walk ends at a tile that knows the sum up to it.
  /// (Asking more tiles at once takes longer: who asks disturbs who publishes.)
  template <int lanes, class Member>
  KOKKOS_FUNCTION T before(const Member& team, std::int64_t tile) const {
    const auto all = Kokkos::ThreadVectorRange(team, int{lanes});
    T sum = 0;
    for (std::int64_t last = tile - 1; last >= 0; last -= lanes) {
      T found = 0;      // each lane's
      int end = lanes;  // the first lane whose tile ends the walk
      Kokkos::parallel_reduce(
          all,
          [&](int l, int& e) {
            if (last < l || wait_for(last - l, found) == up_to_tile) e = Kokkos::min(e, l);
          },
          Kokkos::Min<int>(end));
      T part = 0;
      Kokkos::parallel_reduce(
          all, [&](int l, T& p) { p += l <= end ? found : 0; }, part);
      sum += part;
      if (end < lanes) break;
    }
    return sum;
  }
};

}  // namespace parallax::kernels
