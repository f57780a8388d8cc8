// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// One pass of the radix sort: moves keys, and values with them, into 256 bins by one digit. It
// reads and writes the array once ("onesweep": A. Adinets, D. Merrill, 2022, arXiv:2206.01784). For
// each tile of keys, in the scratch memory of one team:
//   1. rank       each key among the tile's keys of the same digit (radix_rank.hpp)
//   2. exchange   order the tile in scratch, so that each bin's keys are neighbours
//   3. look back  how many keys of each bin do earlier tiles hold? Tiles publish their counts, and
//                 later ones add them up
//   4. write      runs of neighbours go to their bins: whole cache lines, most of them
// Teams take tiles in the order in which they start, so that those looked back at are under way.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "device/look_back.hpp"
#include "device/radix_key.hpp"
#include "device/radix_rank.hpp"

namespace parallax::kernels {

struct NoValue {};

template <class Space, class Key, class Value, class Tuning>
struct RadixPass {
  using Bits = typename RadixKey<Key>::Bits;
  static constexpr bool has_values = !std::is_same_v<Value, NoValue>;
  using Ranks = RadixRanks<Tuning>;
  static constexpr int lanes = Tuning::lanes, groups = Tuning::groups, items = Tuning::items,
                       tile = Tuning::tile;
  // One buffer for the masks while keys are ranked, for the keys, and for the values after them.
  static constexpr std::size_t slot =
      has_values ? std::max(sizeof(Value), sizeof(Key)) : sizeof(Key);
  static constexpr std::size_t buffer_bytes =
      (std::max(slot * tile, Ranks::mask_bytes) + 15) / 16 * 16;
  static constexpr std::size_t scratch_bytes = buffer_bytes + sizeof(std::uint64_t) * radix_bins +
                                               sizeof(std::uint32_t) * radix_bins * (groups + 2);

  static constexpr int ahead = is_host_space<Space> ? 1 : 4;  ///< tiles that look_back asks at once
  In<Space, const Key*> in;
  In<Space, Key*> out;
  In<Space, const Value*> values_in;
  In<Space, Value*> values_out;
  In<Space, const std::uint64_t*> starts;  ///< where each bin of this digit starts in `out`
  In<Space, std::uint64_t*> published;     ///< tiles * radix_bins: state (16 bits), count (48)
  In<Space, int> next_tile;
  Bits low;
  int shift, epoch;
  bool first, last;  ///< of the passes: keys are encoded on the way in and decoded on the way out

  KOKKOS_FUNCTION int digit(Bits b) const {
    return static_cast<int>((b >> shift) & (radix_bins - 1));
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    char* scratch = static_cast<char*>(team.team_scratch(int{Tuning::scratch_level})
                                           .get_shmem_aligned(std::size_t{scratch_bytes}, 16));
    auto* exchange = reinterpret_cast<Bits*>(scratch);
    // Where a digit's first key goes, less its place in the tile.
    auto* base = reinterpret_cast<std::uint64_t*>(scratch + buffer_bytes);
    auto* totals = reinterpret_cast<std::uint32_t*>(base + radix_bins);  // keys of each digit
    auto* firsts = totals + radix_bins;                                  // their place in the tile
    const Ranks ranks{reinterpret_cast<std::uint32_t*>(scratch), firsts + radix_bins};

    int t = 0;
    Kokkos::single(
        Kokkos::PerTeam(team), [&](int& mine) { mine = Kokkos::atomic_fetch_add(&next_tile(), 1); },
        t);
    const std::int64_t n = in.extent(0), begin = std::int64_t{t} * tile;
    const int valid = static_cast<int>(Kokkos::min<std::int64_t>(tile, n - begin));
    ranks.clear(team);
    team.team_barrier();

    // Beyond the end are keys with the largest digit: they rank behind all others of that digit
    // and are not written.
    const int group = team.team_rank() / lanes, lane = team.team_rank() % lanes;
    Bits key[items];
    PackedNumbers<items> rank;
    // All loads first: one that is followed by a branch on what it brings is waited for.
    for (int j = 0; j < items; ++j) {
      const int i = (group * items + j) * lanes + lane;
      const Key k = in(begin + (i < valid ? i : 0));
      key[j] = Kokkos::bit_cast<Bits>(k);
    }
    for (int j = 0; j < items; ++j) {
      const int i = (group * items + j) * lanes + lane;
      if (first) key[j] = RadixKey<Key>::encode(key[j]) - low;
      if (i >= valid) key[j] = ~Bits{0};
    }
    ranks.rank_in_groups(
        team, [&](int j) { return digit(key[j]); }, rank);

    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, int{radix_bins}), [&](int d) {
      totals[d] = ranks.sum_groups(d);
      publish(t, d, totals[d]);
    });
    team.team_barrier();
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, int{radix_bins}),
                          [&](int d, std::uint32_t& run, bool final) {
                            const std::uint32_t c = totals[d];
                            if (final) firsts[d] = run;
                            run += c;
                          });
    team.team_barrier();
    PackedNumbers<items> place;
    for (int j = 0; j < items; ++j) {
      const int d = digit(key[j]);
      const std::uint32_t to = rank[j] + firsts[d] + ranks.counts[group * radix_bins + d];
      place.set(j, to);
      exchange[to] = key[j];
    }
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, int{radix_bins}), [&](int d) {
      base[d] = starts(d) + look_back(t, d, totals[d]) - firsts[d];
    });
    team.team_barrier();

    for (int j = 0; j < items; ++j) key[j] = exchange[(j * groups + group) * lanes + lane];
    for (int j = 0; j < items; ++j) {
      const int i = (j * groups + group) * lanes + lane;
      const Bits b = last ? RadixKey<Key>::decode(key[j] + low) : key[j];
      if (i < valid) out(base[digit(key[j])] + i) = Kokkos::bit_cast<Key>(b);
    }
    if constexpr (has_values) {
      auto* values = reinterpret_cast<Value*>(scratch);
      team.team_barrier();
      for (int j = 0; j < items; ++j) {
        const int i = (group * items + j) * lanes + lane;
        if (i < valid) values[place[j]] = values_in(begin + i);
      }
      team.team_barrier();
      for (int j = 0; j < items; ++j) {
        const int i = (j * groups + group) * lanes + lane;
        if (i < valid) values_out(base[digit(key[j])] + i) = values[i];
      }
    }
  }

  /// Says that tile `t` has `count` keys of digit `d`; for the first tile that is all there is.
  KOKKOS_FUNCTION void publish(std::int64_t t, int d, std::uint32_t count) const {
    post(&published(t * radix_bins + d), (t == 0 ? complete() : partial()) | count);
  }

  /// How many keys of digit `d` the tiles before tile `t` have: adds up what they published until
  /// one knows the sum of all before it, and publishes the sum up to its own. Asks several at once:
  /// a thread waits for each answer.
  KOKKOS_FUNCTION std::uint64_t look_back(std::int64_t t, int d, std::uint32_t count) const {
    std::uint64_t before = 0;
    bool found = t == 0;
    for (std::int64_t p = t - 1; !found;) {
      std::uint64_t seen[ahead];
      for (int k = 0; k < ahead; ++k)
        seen[k] = k <= p ? peek(&published((p - k) * radix_bins + d)) : complete();
      for (int k = 0; k < ahead && !found && seen[k] >= partial(); ++k, --p) {
        before += seen[k] & ((std::uint64_t{1} << 48) - 1);
        found = seen[k] >= complete();
      }
    }
    if (t > 0) post(&published(t * radix_bins + d), complete() | (before + count));
    return before;
  }

  // States rise from pass to pass, so that no kernel has to clear the words between two.
  KOKKOS_FUNCTION std::uint64_t partial() const {
    return static_cast<std::uint64_t>(2 * epoch) << 48;
  }
  KOKKOS_FUNCTION std::uint64_t complete() const {
    return static_cast<std::uint64_t>(2 * epoch + 1) << 48;
  }
};

}  // namespace parallax::kernels
