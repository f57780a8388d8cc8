// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Where in its tile does each key go? Behind all keys of lesser digits, and behind earlier keys of
// the same digit. In order, since a sort by several digits must keep equal keys in order: with
// atomic counters each key would get a place, but any place.
//
// A team is a few groups of 32 lanes, a thread of Kokkos each. Code outside of a loop over lanes
// runs in every lane of a GPU. 16 lanes share a part of the tile, and one word for each digit.
// First the words count the part's keys. Then the upper half of a word says where the part's next
// key of the digit goes, and the lower half is a mask: each lane sets its bit in the word of its
// key's digit, and the bits below its bit are the keys before it. That takes no instruction that
// only one vendor's devices have. On a CPU a group is one thread, which takes its keys in turn and
// needs no mask.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include "device/radix_key.hpp"
#include "device/scratch_atomics.hpp"

namespace parallax::kernels {

/// How a team is shaped: `groups` of `lanes` threads, `items` keys for each thread, all that
/// registers hold: large tiles write longer runs. On a host a team is one thread that takes its
/// keys in turn, and a tile fits the second-level cache.
template <class Space, std::size_t KeyBytes>
struct RadixTuning {
  static constexpr int lanes = is_host_space<Space> ? 1 : 32;
  static constexpr int groups = is_host_space<Space> ? 1 : 8;
  static constexpr int items = is_host_space<Space> ? 8192 : KeyBytes == 4 ? 26 : 13;
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

/// The words of a tile. Its parts follow one after the other: key `j` of a lane is key
/// (part * items + j) * members + bit of the tile.
template <class Tuning>
struct RadixWords {
  static constexpr int lanes = Tuning::lanes, groups = Tuning::groups;
  static constexpr int members = lanes > 1 ? 16 : 1;  ///< lanes of a part
  static constexpr int parts = groups * lanes / members;
  static constexpr int up = lanes > 1 ? 16 : 0;  ///< a place is above the mask
  static constexpr std::size_t bytes = sizeof(std::uint32_t) * parts * radix_bins;
  static_assert(Tuning::tile <= 1 << 16, "Places in a tile have 16 bits.");
  static_assert(lanes == 1 || lanes == 32, "A device's groups have two parts.");

  std::uint32_t* words;

  KOKKOS_FUNCTION std::uint32_t* of(int part, int digit) const {
    return words + part * radix_bins + digit;
  }
  KOKKOS_FUNCTION void clear(int digit) const {
    for (int p = 0; p < parts; ++p) *of(p, digit) = 0;
  }
  /// How many keys of the tile have the digit.
  KOKKOS_FUNCTION std::uint32_t count(int digit) const {
    std::uint32_t sum = 0;
    for (int p = 0; p < parts; ++p) sum += *of(p, digit);
    return sum;
  }
  /// From counts to places: the tile's first key of the digit goes to `first`.
  KOKKOS_FUNCTION void begin_at(int digit, std::uint32_t first) const {
    for (int p = 0; p < parts; ++p) {
      const std::uint32_t keys = *of(p, digit);
      *of(p, digit) = first << up;
      first += keys;
    }
  }

  /// Where the key goes whose digit has this word, for all lanes at once; the next one goes behind.
  template <class Member>
  KOKKOS_FUNCTION static std::uint32_t next(const Member& team, std::uint32_t* word, int bit) {
    if constexpr (lanes == 1) {
      return (*word)++;
    } else {
      scratch_or(word, 1U << bit);
      meet(team);
      const std::uint32_t peers = *word & 0xFFFFU, first = *word >> 16;
      meet(team);
      if (peers >> bit == 1U)  // the last of the peers speaks for them
        *word = (first + static_cast<std::uint32_t>(Kokkos::popcount(peers))) << 16;
      meet(team);
      return first + static_cast<std::uint32_t>(Kokkos::popcount(peers & ((1U << bit) - 1U)));
    }
  }

 private:
  /// The lanes of a group wait for each other, as they do where Kokkos lets one of them work. A
  /// compiler that does not know that they are a whole warp takes a dozen instructions for it.
  template <class Member>
  KOKKOS_FUNCTION static void meet(const Member& team) {
    KOKKOS_IF_ON_DEVICE((if (blockDim.x != unsigned{lanes}) __builtin_unreachable();))
    Kokkos::single(Kokkos::PerThread(team), []() {});
  }
};

}  // namespace parallax::kernels
