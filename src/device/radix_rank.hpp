// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// What is the rank of each key of a tile among the tile's keys of the same digit? In order, so that
// equal keys stay in order: with atomic counters each key would get a place, but any place.
//
// A team is a few groups of 32 threads, and each group ranks its own keys, 32 at a time. Every
// thread sets its bit in the mask of its key's digit; the bits below its own are the keys before
// it, and a counter for each digit knows the group's earlier ones. That takes no instruction that
// only one vendor's devices have. On a CPU a group is one thread, which takes its keys in turn and
// needs no masks.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include "device/radix_key.hpp"

namespace parallax::kernels {

/// How a team is shaped: `groups` of `lanes` threads, `items` keys for each thread, all that
/// registers hold: large tiles write longer runs. On a host a team is one thread that takes its
/// keys in turn, and a tile fits the second-level cache.
template <class Space, std::size_t KeyBytes>
struct RadixTuning {
  static constexpr int lanes = is_host_space<Space> ? 1 : 32;  ///< bits of a match mask
  static constexpr int groups = is_host_space<Space> ? 1 : 8;
  static constexpr int items = is_host_space<Space> ? 8192 : KeyBytes == 4 ? 24 : 12;
  static constexpr int at_once = 2;  ///< items that find their peers between two barriers
  static constexpr int scratch_level = is_host_space<Space> ? 1 : 0;
  static constexpr int threads = lanes * groups, tile = threads * items;
  static constexpr int teams =
      is_host_space<Space> ? 1 : 4;  ///< on a multiprocessor at a time: bounds the registers
};

/// Numbers below 2^16, two to a register: one to a register, they did not fit beside the keys, and
/// memory moved twice the bytes of the keys.
template <int items>
struct PackedNumbers {
  std::uint32_t pair[(items + 1) / 2];
  KOKKOS_FUNCTION std::uint32_t operator[](int j) const {
    return j % 2 == 0 ? pair[j / 2] & 0xFFFFU : pair[j / 2] >> 16;
  }
  /// Of an even j: sets number j + 1 to 0.
  KOKKOS_FUNCTION void set(int j, std::uint32_t x) {
    pair[j / 2] = j % 2 == 0 ? x : pair[j / 2] | x << 16;
  }
};

/// The ranks of a tile: key `j` of a thread is key (group * items + j) * lanes + lane of the tile.
template <class Tuning>
struct RadixRanks {
  static constexpr int lanes = Tuning::lanes, groups = Tuning::groups, items = Tuning::items,
                       at_once = Tuning::at_once;
  static_assert(Tuning::tile <= 1 << 16, "Ranks in a tile have 16 bits.");
  static_assert(lanes == 1 || (lanes == 32 && items % at_once == 0),
                "A mask has 32 bits, and items are ranked a few at once.");
  static constexpr std::size_t mask_bytes =
      lanes > 1 ? sizeof(std::uint32_t) * radix_bins* groups* at_once : 0;

  std::uint32_t* masks;   ///< for each group, item at once and digit: which lanes have it
  std::uint32_t* counts;  ///< for each group and digit: how many keys so far

  /// All threads meet at a barrier after this, and before they rank.
  template <class Member>
  KOKKOS_FUNCTION void clear(const Member& team) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, groups * radix_bins),
                         [&](int i) { counts[i] = 0; });
    if constexpr (lanes > 1) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, groups * radix_bins * at_once),
                           [&](int i) { masks[i] = 0; });
    }
  }

  /// Ranks the keys of each group; digit(j) is key j's. Ends with all threads at a barrier.
  template <class Member, class Digit>
  KOKKOS_FUNCTION void rank_in_groups(const Member& team, const Digit& digit,
                                      PackedNumbers<items>& rank) const {
    const int group = team.team_rank() / lanes, lane = team.team_rank() % lanes;
    std::uint32_t* count = counts + group * radix_bins;
    if constexpr (lanes == 1) {
      for (int j = 0; j < items; ++j) rank.set(j, count[digit(j)]++);
    } else {
      std::uint32_t* mask = masks + group * at_once * radix_bins;
      for (int j = 0; j < items; j += at_once) {
        for (int g = 0; g < at_once; ++g) {
          Kokkos::atomic_or(&mask[g * radix_bins + digit(j + g)], 1U << lane);
        }
        team.team_barrier();
        std::uint32_t peers[at_once];
        for (int g = 0; g < at_once; ++g) {
          const int d = digit(j + g);
          std::uint32_t before = count[d];
          for (int h = 0; h < g; ++h) before += Kokkos::popcount(mask[h * radix_bins + d]);
          peers[g] = mask[g * radix_bins + d];
          rank.set(j + g, before + Kokkos::popcount(peers[g] & ((1U << lane) - 1U)));
        }
        team.team_barrier();
        for (int g = 0; g < at_once; ++g) {
          if ((peers[g] >> lane) != 1U) continue;  // the last of the peers speaks for them
          const int d = digit(j + g);
          Kokkos::atomic_add(&count[d], static_cast<std::uint32_t>(Kokkos::popcount(peers[g])));
          mask[g * radix_bins + d] = 0;
        }
        team.team_barrier();
      }
    }
    team.team_barrier();
  }

  /// Turns the groups' counts of digit `d` into the counts of the groups before; returns their sum.
  KOKKOS_FUNCTION std::uint32_t sum_groups(int d) const {
    std::uint32_t sum = 0;
    for (int g = 0; g < groups; ++g) {
      const std::uint32_t count = counts[g * radix_bins + d];
      counts[g * radix_bins + d] = sum;
      sum += count;
    }
    return sum;
  }
};

}  // namespace parallax::kernels
