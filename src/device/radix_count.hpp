// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// How many keys have which digit? One read of the keys counts the digits of all passes at once, in
// the scratch memory of teams, and a sum on the host says where each bin starts: 256 numbers a
// digit. A digit that all keys share needs no pass.
//
// Cost: one read, and an atomic addition in scratch for every digit of every key, which is the
// dearer of the two: a count of 8 digits takes as long as a pass. So the range of the keys is found
// first (radix_key.hpp), and what it says is not needed is not counted.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <optional>

#include "device/radix_key.hpp"
#include "device/scratch_atomics.hpp"
#include "device/unroll.hpp"

namespace parallax::kernels {

template <class Space, class Key>
struct RadixCount {
  using Bits = typename RadixKey<Key>::Bits;
  static constexpr bool shared = !is_host_space<Space>;  // do several threads count in one scratch?
  static constexpr int team_size = shared ? 512 : 1;
  // Neighbouring threads count in separate copies: keys that share a digit would otherwise
  // queue at one word.
  static constexpr int copies = shared ? 4 : 1;
  static constexpr int at_once = shared ? 4 : 1;  ///< keys that a thread has on their way

  In<Space, const Key*> keys;
  In<Space, std::uint64_t*> counts;  ///< digits * radix_bins
  std::int64_t chunk;
  Bits low;  ///< subtracted from every key
  int digits;

  std::size_t scratch_bytes() const {
    return sizeof(std::uint32_t) * radix_bins * static_cast<std::size_t>(digits) * copies + 64;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int size = digits * radix_bins * copies;
    auto* bins =
        static_cast<std::uint32_t*>(team.team_scratch(0).get_shmem(sizeof(std::uint32_t) * size));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size), [&](int i) { bins[i] = 0; });
    team.team_barrier();
    const std::int64_t n = keys.extent(0), begin = team.league_rank() * chunk;
    const std::int64_t end = Kokkos::min(n, begin + chunk);
    std::uint32_t* copy = bins + team.team_rank() % copies;
    const int here = static_cast<int>(end - begin), threads = team.team_size();
    const int turns = (here + at_once * threads - 1) / (at_once * threads) * threads;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, turns), [&](int turn) {
      const int i = (turn - team.team_rank()) * at_once + team.team_rank();
      Bits bits[at_once];
      for (int k = 0; k < at_once; ++k) {
        // A copy: bit_cast of what a view refers to loads it byte by byte.
        const Key key = keys(begin + (i + k * threads < here ? i + k * threads : 0));
        bits[k] = Kokkos::bit_cast<Bits>(key);
      }
      for (int k = 0; k < at_once && i + k * threads < here; ++k) {
        const Bits rest = RadixKey<Key>::encode(bits[k]) - low;
        unrolled<static_cast<int>(sizeof(Key))>([&](auto d) {
          if (d < digits)
            scratch_add(copy + (d * radix_bins +
                                static_cast<int>((rest >> (d * radix_bits)) & (radix_bins - 1))) *
                                   copies,
                        1);
        });
      }
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, digits * radix_bins), [&](int i) {
      std::uint64_t sum = 0;
      for (int c = 0; c < copies; ++c) sum += bins[i * copies + c];
      if (sum > 0) Kokkos::atomic_add(&counts(i), sum);
    });
  }
};

/// Which passes a sort takes: digits of (encoded key - low), the lowest first.
template <class Bits>
struct RadixPlan {
  Bits low = 0;
  int passes = 0;
  int digit[sizeof(Bits)] = {};  ///< of each pass
};

/// Plans the sort of `keys`, and leaves the start of each bin of each digit in `counts`. Waits for
/// what it counts, and for the range of the keys unless it is `known`.
template <class Space, class Key, class Counts, class HostCounts>
RadixPlan<typename RadixKey<Key>::Bits> radix_plan(
    const Space& space, const In<Space, const Key*>& keys, const Counts& counts,
    const HostCounts& host_counts, const std::optional<RadixRange<Key>>& known = {}) {
  const auto n = static_cast<std::int64_t>(keys.extent(0));
  RadixPlan<typename RadixKey<Key>::Bits> plan;
  // Keys that differ by little have few digits when counted from the least.
  const RadixRange<Key> range = known ? *known : radix_range<Space, Key>(space, keys);
  plan.low = range.least;
  const int digits = (radix_width(range.largest - range.least) + radix_bits - 1) / radix_bits;
  if (digits == 0) return plan;

  const std::int64_t chunk =
      std::max<std::int64_t>(is_host_space<Space> ? 65536 : 16384, n / 2048 + 1);
  Kokkos::deep_copy(space, counts, 0);
  const RadixCount<Space, Key> counter{keys, counts, chunk, plan.low, digits};
  Kokkos::parallel_for(
      "parallax::radix_sort::count",
      Kokkos::TeamPolicy<Space>(space, static_cast<int>((n + chunk - 1) / chunk), counter.team_size)
          .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(counter.scratch_bytes()))),
      counter);
  Kokkos::deep_copy(space, host_counts, counts);
  space.fence("parallax::radix_sort: counts on the host");

  for (int d = 0; d < digits; ++d) {
    std::uint64_t* bin = host_counts.data() + d * radix_bins;
    const bool shared =
        std::find(bin, bin + radix_bins, static_cast<std::uint64_t>(n)) != bin + radix_bins;
    if (!shared) plan.digit[plan.passes++] = d;
    std::uint64_t sum = 0;
    for (int b = 0; b < radix_bins; ++b) {
      const std::uint64_t count = bin[b];
      bin[b] = sum;
      sum += count;
    }
  }
  Kokkos::deep_copy(space, counts, host_counts);
  return plan;
}

}  // namespace parallax::kernels
