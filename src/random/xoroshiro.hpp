// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// xoroshiro128+ (Blackman and Vigna, 2016 parameters 55, 14, 36), one state per thread, each 2^64
// steps after the one before: the scheme of Numba's CUDA generator, bit for bit.
//
// A step is linear over GF(2): the 128 bits of a state are multiplied by a fixed 128 x 128 matrix
// of bits. So is a jump of 2^64 steps, and so are two jumps, four, eight. Knowing the first 2^k
// states, one product each gives the next 2^k: a million states take 20 launches and one product a
// state, where jumping serially takes a million jumps in a row.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <vector>

#include "device/split_mix64.hpp"

namespace parallax::random {

KOKKOS_INLINE_FUNCTION constexpr std::uint64_t rotate_left(std::uint64_t x, int k) {
  return (x << k) | (x >> (64 - k));
}

/// A state of xoroshiro128+; never all zero.
struct alignas(16) Xoroshiro {
  std::uint64_t s0, s1;

  /// The next 64 random bits. The lowest bits are weak: use the upper 53.
  KOKKOS_INLINE_FUNCTION constexpr std::uint64_t next() {
    const std::uint64_t out = s0 + s1;
    s1 ^= s0;
    s0 = rotate_left(s0, 55) ^ s1 ^ (s1 << 14);
    s1 = rotate_left(s1, 36);
    return out;
  }

  /// The upper half of the next number, but for a carry from the lower half: half the work, for
  /// estimates.
  KOKKOS_INLINE_FUNCTION constexpr std::uint32_t peek_upper() const {
    return static_cast<std::uint32_t>(s0 >> 32) + static_cast<std::uint32_t>(s1 >> 32);
  }

  /// 2^64 steps at once, by the authors' jump polynomial.
  constexpr void jump() {
    std::uint64_t t0 = 0, t1 = 0;
    for (const std::uint64_t word : {0xBEAC0467EBA5FACBU, 0xD86B048B86AA9922U}) {
      for (int b = 0; b < 64; ++b) {
        if ((word >> b) & 1U) {
          t0 ^= s0;
          t1 ^= s1;
        }
        next();
      }
    }
    s0 = t0;
    s1 = t1;
  }
};

/// Uniform on [0, 1], in single precision: float((out >> 11) * 2^-53). 0 is possible, and so is 1,
/// by rounding up.
KOKKOS_INLINE_FUNCTION constexpr float xoroshiro_f32(std::uint64_t out) {
  return static_cast<float>(static_cast<double>(out >> 11) * 0x1p-53);
}

/// A linear map of states, tabulated for each value of each of the 32 nibbles of a state ("four
/// Russians"): a product is 32 look-ups and exclusive ors.
struct JumpTable {
  Xoroshiro entry[32][16];

  KOKKOS_INLINE_FUNCTION constexpr Xoroshiro operator()(const Xoroshiro& state) const {
    Xoroshiro r{0, 0};
    for (int i = 0; i < 16; ++i) {
      const Xoroshiro& a = entry[i][(state.s0 >> (4 * i)) & 15U];
      const Xoroshiro& b = entry[i + 16][(state.s1 >> (4 * i)) & 15U];
      r.s0 ^= a.s0 ^ b.s0;
      r.s1 ^= a.s1 ^ b.s1;
    }
    return r;
  }

  /// Fills the table from `map`, any linear function of a state.
  template <class Map>
  void tabulate(const Map& map) {
    for (int i = 0; i < 32; ++i) {
      entry[i][0] = Xoroshiro{0, 0};
      for (unsigned v = 1; v < 16; ++v) {
        if ((v & (v - 1)) == 0) {  // one bit: a column of the matrix
          const std::uint64_t bit = std::uint64_t{v} << (4 * (i % 16));
          entry[i][v] = map(i < 16 ? Xoroshiro{bit, 0} : Xoroshiro{0, bit});
        } else {  // several: the sum of two entries already there
          const Xoroshiro &a = entry[i][v & (v - 1)], &b = entry[i][v & (~v + 1)];
          entry[i][v] = Xoroshiro{a.s0 ^ b.s0, a.s1 ^ b.s1};
        }
      }
    }
  }
};

/// State known + i is state i after the jumps of table k. (A type: see random/fill.hpp.)
template <class States, class Tables>
struct JumpOn {
  States states;
  Tables tables;
  std::int64_t known;
  int k;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    states(known + i) = tables(k)(states(i));
  }
};

/// Fills `states` with the threads' states for `seed`: state i is i jumps after state 0,
/// whose words are both split_mix64(seed).
template <class Space, class States>
void seed_xoroshiro_states(const Space& space, std::uint64_t seed, const States& states) {
  const auto streams = static_cast<std::int64_t>(states.extent(0));
  if (streams == 0) return;
  int doublings = 0;
  while ((std::int64_t{1} << doublings) < streams) ++doublings;

  // The tables of 1, 2, 4, ... jumps, each the square of the one before: microseconds on the host.
  const Kokkos::View<JumpTable*, Kokkos::HostSpace> host_tables("parallax::xoroshiro::tables",
                                                                doublings);
  for (int k = 0; k < doublings; ++k) {
    if (k == 0) {
      host_tables(0).tabulate([](Xoroshiro s) { return s.jump(), s; });
    } else {
      const JumpTable& half = host_tables(k - 1);
      host_tables(k).tabulate([&half](const Xoroshiro& s) { return half(half(s)); });
    }
  }
  const auto tables = Kokkos::create_mirror_view_and_copy(
      Kokkos::view_alloc(space, typename Space::memory_space()), host_tables);

  const std::uint64_t word = split_mix64(seed);
  Kokkos::deep_copy(space, Kokkos::subview(states, 0), Xoroshiro{word, word});
  for (int k = 0; k < doublings; ++k) {
    const std::int64_t known = std::int64_t{1} << k;
    Kokkos::parallel_for("parallax::xoroshiro::double",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
                             space, 0, std::min(known, streams - known)),
                         JumpOn<States, std::decay_t<decltype(tables)>>{states, tables, known, k});
  }
}

/// The same in a new array: 16 bytes a stream.
template <class Space>
Kokkos::View<Xoroshiro*, typename Space::memory_space> make_xoroshiro_states(const Space& space,
                                                                             std::uint64_t seed,
                                                                             std::int64_t streams) {
  const Kokkos::View<Xoroshiro*, typename Space::memory_space> states(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::xoroshiro::states"),
      streams);
  seed_xoroshiro_states(space, seed, states);
  return states;
}

/// The states of the threads from `begin` on, as a process has them that is one of several.
template <class Space, class States>
void seed_xoroshiro_states(const Space& space, std::uint64_t seed, const States& states,
                           std::int64_t begin) {
  if (begin == 0) return seed_xoroshiro_states(space, seed, states);
  const auto end = begin + static_cast<std::int64_t>(states.extent(0));
  const auto all = make_xoroshiro_states(space, seed, end);
  Kokkos::deep_copy(space, states, Kokkos::subview(all, std::pair(begin, end)));
}

/// The same states, made one after the other on the host and copied: what Numba's library does.
template <class States>
void jump_on_host(std::uint64_t seed, const States& states) {
  const auto host = Kokkos::create_mirror_view(states);
  const std::uint64_t word = split_mix64(seed);
  Xoroshiro state{word, word};
  for (std::size_t i = 0; i < host.extent(0); ++i, state.jump()) host(i) = state;
  Kokkos::deep_copy(states, host);
}

/// Trials of one stream when `trials` are dealt to `streams` threads: the first trials % streams
/// get one more.
KOKKOS_INLINE_FUNCTION std::int64_t trials_of_stream(std::int64_t i, std::int64_t trials,
                                                     std::int64_t streams) {
  return trials / streams + (i < trials % streams ? 1 : 0);
}

}  // namespace parallax::random
