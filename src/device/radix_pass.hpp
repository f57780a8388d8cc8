// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// One pass of the radix sort: moves keys, and values with them, into 256 bins by one digit. It
// reads and writes the array once ("onesweep": A. Adinets, D. Merrill, 2022, arXiv:2206.01784). For
// each tile of keys, in the scratch memory of one team:
//   1. count      the tile's keys of each digit, and publish how many there are
//   2. exchange   order the tile in scratch, so that each bin's keys are neighbours
//   (radix_rank.hpp)
//   3. look back  how many keys of each bin do earlier tiles hold? Add up what they have published
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
  using Words = RadixWords<Tuning>;
  static constexpr int lanes = Tuning::lanes, groups = Tuning::groups, items = Tuning::items,
                       tile = Tuning::tile;
  static constexpr int some = radix_bins / groups;  ///< digits of a group when firsts are found
  static_assert(radix_bins % groups == 0, "Groups share the digits evenly.");
  // One buffer for the keys, and for the values after them.
  static constexpr std::size_t slot =
      has_values ? std::max(sizeof(Value), sizeof(Key)) : sizeof(Key);
  static constexpr std::size_t buffer_bytes = (slot * tile + 15) / 16 * 16;
  static constexpr std::size_t scratch_bytes = buffer_bytes + Words::bytes +
                                               sizeof(std::uint64_t) * radix_bins +
                                               sizeof(std::uint32_t) * (2 * radix_bins + groups);
  static_assert(is_host_space<Space> || scratch_bytes + 64 <= 48 << 10,
                "A team of a device has 48 KiB of scratch memory.");

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
    auto* sums = firsts + radix_bins;  // keys of each group's digits
    const Words words{sums + groups};
    const auto for_digits = [&](const auto& f) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, int{radix_bins}), f);
    };

    int t = 0;
    Kokkos::single(
        Kokkos::PerTeam(team), [&](int& mine) { mine = Kokkos::atomic_fetch_add(&next_tile(), 1); },
        t);
    const std::int64_t n = in.extent(0), begin = std::int64_t{t} * tile;
    const int valid = static_cast<int>(Kokkos::min<std::int64_t>(tile, n - begin));
    for_digits([&](int d) { words.clear(d); });
    int lane = 0;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, int{lanes}), [&](int l) { lane = l; });
    const int group = team.team_rank(), me = group * lanes + lane;
    const int part = me / Words::members, bit = me % Words::members;
    const auto index = [=](int j) { return (part * items + j) * Words::members + bit; };

    // All loads first: one that is followed by a branch on what it brings is waited for.
    Bits key[items];
    for (int j = 0; j < items; ++j) {
      const Key k = in(begin + (index(j) < valid ? index(j) : 0));
      key[j] = Kokkos::bit_cast<Bits>(k);
    }
    if (first)
      for (int j = 0; j < items; ++j) key[j] = RadixKey<Key>::encode(key[j]) - low;
    team.team_barrier();
    // Beyond the end are keys with the largest digit: they go behind all others of that digit and
    // are not written.
    for (int j = 0; j < items; ++j) {
      if (index(j) >= valid) key[j] = ~Bits{0};
      scratch_add(words.of(part, digit(key[j])), 1);
    }
    team.team_barrier();
    for_digits([&](int d) {
      totals[d] = words.count(d);
      publish(t, d, totals[d]);
    });
    team.team_barrier();
    Kokkos::parallel_scan(Kokkos::ThreadVectorRange(team, int{some}),
                          [&](int k, std::uint32_t& run, bool final) {
                            const int d = group * some + k;
                            if (final) firsts[d] = run;
                            run += totals[d];
                            if (final && k == some - 1) sums[group] = run;
                          });
    team.team_barrier();
    for_digits([&](int d) {
      std::uint32_t before = firsts[d];
      for (int g = 0; g < d / some; ++g) before += sums[g];
      firsts[d] = before;
      words.begin_at(d, before);
    });
    team.team_barrier();
    PackedNumbers<has_values ? items : 1> place;
    for (int j = 0; j < items; ++j) {
      const std::uint32_t to = Words::next(team, words.of(part, digit(key[j])), bit);
      if constexpr (has_values) place.set(j, to);
      exchange[to] = key[j];
    }
    for_digits([&](int d) { base[d] = starts(d) + look_back(t, d, totals[d]) - firsts[d]; });
    team.team_barrier();

    constexpr int threads = groups * lanes;
    for (int j = 0; j < items; ++j) key[j] = exchange[j * threads + me];
    const auto write = [&](const auto& decoded) {
      for (int j = 0; j < items; ++j) {
        const int i = j * threads + me;
        if (i < valid) out(base[digit(key[j])] + i) = Kokkos::bit_cast<Key>(decoded(key[j]));
      }
    };
    if (last)
      write([&](Bits b) { return RadixKey<Key>::decode(b + low); });
    else
      write([](Bits b) { return b; });
    if constexpr (has_values) {
      auto* values = reinterpret_cast<Value*>(scratch);
      team.team_barrier();
      for (int j = 0; j < items; ++j)
        if (index(j) < valid) values[place[j]] = values_in(begin + index(j));
      team.team_barrier();
      for (int j = 0; j < items; ++j) {
        const int i = j * threads + me;
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
