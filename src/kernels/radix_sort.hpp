// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// A radix sort, least significant digit first, in one source for every backend. Digits have 8 bits;
// each pass moves the keys once, stably, into 256 bins, and reads and writes the array once
// ("onesweep": A. Adinets, D. Merrill, 2022, arXiv:2206.01784). The steps of a pass, for each tile
// of keys in the scratch memory of one team:
//   1. rank     where does each key stand among the tile's keys of the same digit?
//   2. look back how many such keys do earlier tiles hold? Tiles publish their counts, and later
//   ones add them up
//   3. exchange  order the tile in scratch, so that each bin's keys are neighbours
//   4. write     runs of neighbours go to their bins: whole cache lines, most of them
// Before the first pass one read counts the digits of all passes at once; a digit that all keys
// share needs no pass. Traffic: (1 + 2 passes) arrays of keys. Memory: the keys twice, and 2 KiB a
// tile.
//
// Order: unsigned integers as they are; floats in IEEE 754's total order, -NaN < -inf < ... < -0.0
// < +0.0 < ... < NaN.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/tuning.hpp"

namespace parallax::kernels {

/// An array or a number in the memory of a space.
template <class Space, class T>
using In = Kokkos::View<T, typename Space::memory_space>;

/// Keys as unsigned integers that compare in the same order.
template <class Key>
struct RadixKey {
  static_assert(std::is_arithmetic_v<Key> && (sizeof(Key) == 4 || sizeof(Key) == 8),
                "Radix keys are numbers of 32 or 64 bits.");
  using Bits = std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>;
  static constexpr Bits sign = Bits{1} << (8 * sizeof(Key) - 1);

  KOKKOS_INLINE_FUNCTION static Bits encode(Bits b) {
    if constexpr (std::is_floating_point_v<Key>) {
      return b & sign
                 ? ~b
                 : b | sign;  // negative numbers are stored by magnitude: the larger, the smaller
    } else {
      return std::is_signed_v<Key> ? b ^ sign : b;
    }
  }
  KOKKOS_INLINE_FUNCTION static Bits decode(Bits b) {
    if constexpr (std::is_floating_point_v<Key>) {
      return b & sign ? b ^ sign : ~b;
    } else {
      return std::is_signed_v<Key> ? b ^ sign : b;
    }
  }
};

/// How a team is shaped: `groups` of `lanes` threads, `items` keys for each thread. On a host a
/// team is one thread that takes its keys in turn, and a tile fits the second-level cache.
template <class Space, std::size_t KeyBytes>
struct RadixTuning {
  static constexpr int lanes = is_host_space<Space> ? 1 : 32;  ///< bits of a match mask
  static constexpr int groups = is_host_space<Space> ? 1 : 8;
  static constexpr int items = is_host_space<Space> ? 8192 : 16;
  static constexpr int at_once = 4;  ///< items that find their peers between two barriers
  static constexpr int scratch_level = is_host_space<Space> ? 1 : 0;
  static constexpr int tile = lanes * groups * items;
  static constexpr int teams =
      is_host_space<Space> ? 1 : 4;  ///< on a multiprocessor at a time: bounds the registers
};

inline constexpr int radix_bits = 8;
inline constexpr int radix_bins = 1 << radix_bits;

struct NoValue {};

/// Reads and writes of a word that other threads are watching: whole, and never kept in a register.
/// (Kokkos' atomic_load and atomic_store would do, but are loops of compare-and-swap on devices.)
template <class T>
KOKKOS_INLINE_FUNCTION T peek(const T* word) {
  return *static_cast<const volatile T*>(word);
}
template <class T>
KOKKOS_INLINE_FUNCTION void post(T* word, T value) {
  *static_cast<volatile T*>(word) = value;
}

/// Counts the digits of all passes in one read, and finds the least and the largest key.
template <class Space, class Key>
struct RadixCount {
  using Bits = typename RadixKey<Key>::Bits;
  static constexpr bool shared = !is_host_space<Space>;  // do several threads count in one scratch?

  In<Space, const Key*> keys;
  In<Space, std::uint64_t*> counts;  ///< digits * radix_bins
  In<Space, Bits*> range;            ///< least, largest
  std::int64_t chunk;
  Bits low;
  int digits;

  // Neighbouring threads count in copies of their own: keys that share a digit would otherwise
  // queue at one word.
  static constexpr int copies = shared ? 4 : 1;
  static std::size_t scratch_bytes() {
    return sizeof(std::uint32_t) * radix_bins * sizeof(Key) * copies + 64;
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
    Bits least = ~Bits{0}, largest = 0;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, end), [&](std::int64_t i) {
      const Key key = keys(i);  // a copy: bit_cast of what a view refers to loads it byte by byte
      const Bits b = RadixKey<Key>::encode(Kokkos::bit_cast<Bits>(key)) - low;
      least = b < least ? b : least;
      largest = b > largest ? b : largest;
      Bits rest = b;
      for (int d = 0; d < digits; ++d, rest >>= radix_bits) {
        std::uint32_t* bin =
            copy + (d * radix_bins + static_cast<int>(rest & (radix_bins - 1))) * copies;
        if constexpr (shared) {
          Kokkos::atomic_inc(bin);
        } else {
          ++*bin;
        }
      }
    });
    Kokkos::atomic_min(&range(0), least);
    Kokkos::atomic_max(&range(1), largest);
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, digits * radix_bins), [&](int i) {
      std::uint64_t sum = 0;
      for (int c = 0; c < copies; ++c) sum += bins[i * copies + c];
      if (sum > 0) Kokkos::atomic_add(&counts(i), sum);
    });
  }
};

/// One pass: moves keys (and values) from `in` to `out`, ordered by one digit.
template <class Space, class Key, class Value, class Tuning>
struct RadixPass {
  using Bits = typename RadixKey<Key>::Bits;
  static constexpr bool has_values = !std::is_same_v<Value, NoValue>;
  static_assert(Tuning::tile <= 1 << 16, "Ranks in a tile have 16 bits.");
  static constexpr int lanes = Tuning::lanes, groups = Tuning::groups, items = Tuning::items,
                       at_once = Tuning::at_once, tile = Tuning::tile;
  static constexpr std::size_t slot = has_values && sizeof(Value) > sizeof(Key) ? sizeof(Value)
                                                                                : sizeof(Key);
  // The exchange buffer is free while keys are ranked, and holds the match masks then.
  static constexpr std::size_t buffer_bytes =
      std::max(slot * tile, lanes > 1 ? sizeof(std::uint32_t) * radix_bins * groups * at_once : 0);
  static constexpr std::size_t scratch_bytes = buffer_bytes + sizeof(std::uint64_t) * radix_bins +
                                               sizeof(std::uint32_t) * radix_bins * (groups + 2);

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
    auto* masks = reinterpret_cast<std::uint32_t*>(scratch);
    auto* base = reinterpret_cast<std::uint64_t*>(
        scratch + buffer_bytes);  // out position of a digit's first key
    auto* offsets = reinterpret_cast<std::uint32_t*>(base + radix_bins);  // per group and digit
    auto *totals = offsets + groups * radix_bins, *firsts = totals + radix_bins;  // in the tile

    // Teams take tiles in the order in which they start, so that those looked back at are under
    // way.
    int t = 0;
    Kokkos::single(
        Kokkos::PerTeam(team), [&](int& mine) { mine = Kokkos::atomic_fetch_add(&next_tile(), 1); },
        t);
    const std::int64_t n = in.extent(0), begin = std::int64_t{t} * tile;
    const int valid = static_cast<int>(Kokkos::min<std::int64_t>(tile, n - begin));

    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, groups * radix_bins),
                         [&](int i) { offsets[i] = 0; });
    if constexpr (lanes > 1) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, groups * radix_bins * at_once),
                           [&](int i) { masks[i] = 0; });
    }
    team.team_barrier();

    // Beyond the end stand keys with the largest digit: they rank behind all others and are not
    // written.
    const int group = team.team_rank() / lanes, lane = team.team_rank() % lanes;
    Bits key[items];
    std::uint32_t rank[items];  // and the digit, from bit 16
    for (int j = 0; j < items; ++j) {
      const int i = (group * items + j) * lanes + lane;
      Bits b = ~Bits{0};
      if (i < valid) {
        const Key k = in(begin + i);
        b = Kokkos::bit_cast<Bits>(k);
        if (first) b = RadixKey<Key>::encode(b) - low;
      }
      key[j] = b;
      rank[j] = static_cast<std::uint32_t>(digit(b)) << 16;
    }

    // 1. Rank among the group's keys. Threads of a group that hold the same digit find each other
    // by setting their bits in that digit's mask, for a few items between two barriers.
    std::uint32_t* count = offsets + group * radix_bins;
    if constexpr (lanes == 1) {
      for (int j = 0; j < items; ++j) rank[j] |= count[rank[j] >> 16]++;
    } else {
      static_assert(items % at_once == 0, "Items are ranked a few at once.");
      std::uint32_t* mask = masks + group * at_once * radix_bins;
      for (int j = 0; j < items; j += at_once) {
        for (int g = 0; g < at_once; ++g) {
          Kokkos::atomic_or(&mask[g * radix_bins + (rank[j + g] >> 16)], 1U << lane);
        }
        team.team_barrier();
        std::uint32_t peers[at_once];
        for (int g = 0; g < at_once; ++g) {
          const std::uint32_t d = rank[j + g] >> 16;
          std::uint32_t before = count[d];
          for (int h = 0; h < g; ++h) before += Kokkos::popcount(mask[h * radix_bins + d]);
          peers[g] = mask[g * radix_bins + d];
          rank[j + g] |= before + Kokkos::popcount(peers[g] & ((1U << lane) - 1U));
        }
        team.team_barrier();
        for (int g = 0; g < at_once; ++g) {
          if ((peers[g] >> lane) != 1U) continue;  // the last of the peers speaks for them
          const std::uint32_t d = rank[j + g] >> 16;
          Kokkos::atomic_add(&count[d], static_cast<std::uint32_t>(Kokkos::popcount(peers[g])));
          mask[g * radix_bins + d] = 0;
        }
        team.team_barrier();
      }
    }
    team.team_barrier();

    // 2. Publish this tile's counts; add up those of earlier tiles until one knows the sum of all
    // before it.
    const std::uint64_t partial = std::uint64_t(2 * epoch) << 48,
                        complete = std::uint64_t(2 * epoch + 1) << 48;
    constexpr std::uint64_t low48 = (std::uint64_t{1} << 48) - 1;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, int{radix_bins}), [&](int d) {
      std::uint32_t sum = 0;
      for (int w = 0; w < groups; ++w) {
        const std::uint32_t c = offsets[w * radix_bins + d];
        offsets[w * radix_bins + d] = sum;
        sum += c;
      }
      totals[d] = sum;
      post(&published(std::int64_t{t} * radix_bins + d), (t == 0 ? complete : partial) | sum);
    });
    team.team_barrier();
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(team, int{radix_bins}),
                          [&](int d, std::uint32_t& run, bool final) {
                            const std::uint32_t c = totals[d];
                            if (final) firsts[d] = run;
                            run += c;
                          });
    team.team_barrier();
    for (int j = 0; j < items; ++j) {
      const std::uint32_t d = rank[j] >> 16;
      rank[j] = (rank[j] & 0xFFFFU) + firsts[d] + count[d];
    }
    // 3. Exchange.
    for (int j = 0; j < items; ++j) exchange[rank[j]] = key[j];
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, int{radix_bins}), [&](int d) {
      std::uint64_t before = 0;
      for (std::int64_t p = t - 1; p >= 0;) {
        const std::uint64_t seen = peek(&published(p * radix_bins + d));
        const auto state = static_cast<int>(seen >> 48);
        if (state < 2 * epoch) continue;  // not there yet
        before += seen & low48;
        if (state == 2 * epoch + 1) break;
        --p;
      }
      if (t > 0)
        post(&published(std::int64_t{t} * radix_bins + d), complete | (before + totals[d]));
      base[d] = starts(d) + before - firsts[d];
    });
    team.team_barrier();

    // 4. Write.
    for (int j = 0; j < items; ++j) {
      const int i = (j * groups + group) * lanes + lane;
      if (i < valid) {
        Bits b = exchange[i];
        const std::uint64_t to = base[digit(b)] + i;
        if (last) b = RadixKey<Key>::decode(b + low);
        out(to) = Kokkos::bit_cast<Key>(b);
        if constexpr (has_values) key[j] = static_cast<Bits>(to);
      }
    }
    if constexpr (has_values) {
      auto* values = reinterpret_cast<Value*>(scratch);
      team.team_barrier();
      for (int j = 0; j < items; ++j) {
        const int i = (group * items + j) * lanes + lane;
        if (i < valid) values[rank[j]] = values_in(begin + i);
      }
      team.team_barrier();
      for (int j = 0; j < items; ++j) {
        const int i = (j * groups + group) * lanes + lane;
        if (i < valid) values_out(key[j]) = values[i];
      }
    }
  }
};

/// What a sort of up to `n` keys needs besides the keys: make it once, use it often.
template <class Space, class Key, class Value = NoValue,
          class Tuning = RadixTuning<Space, sizeof(Key)>>
struct RadixWorkspace {
  using Bits = typename RadixKey<Key>::Bits;
  In<Space, Key*> keys;
  In<Space, Value*> values;
  In<Space, std::uint64_t*> counts, published;
  In<Space, Bits*> range;
  In<Space, int*> next_tiles;
  typename In<Space, std::uint64_t*>::host_mirror_type host_counts;

  RadixWorkspace(const Space& space, std::int64_t n)
      : keys(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::radix_sort::keys"),
             n),
        values(
            Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::radix_sort::values"),
            std::is_same_v<Value, NoValue> ? 0 : n),
        counts(
            Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::radix_sort::counts"),
            sizeof(Key) * radix_bins),
        published(Kokkos::view_alloc(space, Kokkos::WithoutInitializing,
                                     "parallax::radix_sort::published"),
                  (n + Tuning::tile - 1) / Tuning::tile * radix_bins),
        range("parallax::radix_sort::range", 2),
        next_tiles("parallax::radix_sort::next_tiles", sizeof(Key)),
        host_counts(Kokkos::create_mirror_view(counts)) {}
};

template <class Space, class Key, class Value>
struct RadixSorted {
  In<Space, Key*> keys;
  In<Space, Value*> values;
};

/// Sorts `keys` ascending; `values`, where there are any, follow their keys, and equal keys keep
/// their order. As the data moves to and fro, the result stands in `keys` or in the workspace: what
/// is returned says which.
template <class Space, class Key, class Value, class Tuning>
RadixSorted<Space, Key, Value> radix_sort(const Space& space,
                                          const std::type_identity_t<In<Space, Key*>>& keys,
                                          const std::type_identity_t<In<Space, Value*>>& values,
                                          const RadixWorkspace<Space, Key, Value, Tuning>& work) {
  using Bits = typename RadixKey<Key>::Bits;
  const auto n = static_cast<std::int64_t>(keys.extent(0));
  RadixSorted<Space, Key, Value> from{keys, values},
      to{Kokkos::subview(work.keys, Kokkos::pair<std::int64_t, std::int64_t>(0, n)), work.values};
  if (n < 2) return from;

  Bits low = 0;
  int digits = sizeof(Key);
  std::uint64_t* counts = work.host_counts.data();
  const auto count = [&] {
    const std::int64_t chunk =
        std::max<std::int64_t>(is_host_space<Space> ? 65536 : 16384, n / 2048 + 1);
    Kokkos::deep_copy(space, work.counts, 0);
    Kokkos::deep_copy(space, Kokkos::subview(work.range, 0), ~Bits{0});
    Kokkos::deep_copy(space, Kokkos::subview(work.range, 1), Bits{0});
    const RadixCount<Space, Key> counter{keys, work.counts, work.range, chunk, low, digits};
    const Kokkos::TeamPolicy<Space> policy(space, static_cast<int>((n + chunk - 1) / chunk),
                                           is_host_space<Space> ? 1 : 512);
    Kokkos::parallel_for("parallax::radix_sort::count",
                         Kokkos::TeamPolicy<Space>(policy).set_scratch_size(
                             0, Kokkos::PerTeam(static_cast<int>(counter.scratch_bytes()))),
                         counter);
    Kokkos::deep_copy(space, work.host_counts, work.counts);
  };
  count();
  Bits range[2];
  const Kokkos::View<Bits*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host_range(range, 2);
  Kokkos::deep_copy(space, host_range, work.range);
  space.fence("parallax::radix_sort: counts on the host");

  // A digit that all keys share needs no pass. Keys that differ by little may need fewer when
  // counted from the least.
  const auto shared_digit = [&](int d) {
    return std::find(counts + d * radix_bins, counts + (d + 1) * radix_bins,
                     static_cast<std::uint64_t>(n)) != counts + (d + 1) * radix_bins;
  };
  int passes = 0, from_least = 0;
  for (int d = 0; d < digits; ++d) passes += shared_digit(d) ? 0 : 1;
  for (Bits width = range[1] - range[0]; width > 0; width >>= (radix_bits - 1), width >>= 1)
    ++from_least;
  if (from_least < passes) {
    low = range[0];
    digits = from_least;
    count();
    space.fence("parallax::radix_sort: counts on the host");
    passes = 0;
    for (int d = 0; d < digits; ++d) passes += shared_digit(d) ? 0 : 1;
  }
  for (int d = 0; d < digits; ++d) {
    std::uint64_t sum = 0;
    for (int b = 0; b < radix_bins; ++b) {
      const std::uint64_t c = counts[d * radix_bins + b];
      counts[d * radix_bins + b] = sum;
      if (c == static_cast<std::uint64_t>(n))
        counts[d * radix_bins] = ~std::uint64_t{0};  // marks a shared digit
      sum += c;
    }
  }
  Kokkos::deep_copy(space, work.counts, work.host_counts);
  Kokkos::deep_copy(space, work.published, 0);
  Kokkos::deep_copy(space, work.next_tiles, 0);

  using Pass = RadixPass<Space, Key, Value, Tuning>;
  const auto tiles = static_cast<int>((n + Tuning::tile - 1) / Tuning::tile);
  for (int d = 0, done = 0; d < digits; ++d) {
    if (counts[d * radix_bins] != 0) continue;
    const Pass pass{
        from.keys,
        to.keys,
        from.values,
        to.values,
        Kokkos::subview(work.counts, Kokkos::pair<int, int>(d * radix_bins, (d + 1) * radix_bins)),
        work.published,
        Kokkos::subview(work.next_tiles, d),
        low,
        d * radix_bits,
        done + 1,
        done == 0,
        done + 1 == passes};
    using Policy =
        Kokkos::TeamPolicy<Space,
                           Kokkos::LaunchBounds<Tuning::lanes * Tuning::groups, Tuning::teams>>;
    Kokkos::parallel_for(
        "parallax::radix_sort::pass",
        Policy(space, tiles, Tuning::groups * Tuning::lanes)
            .set_scratch_size(Tuning::scratch_level,
                              Kokkos::PerTeam(static_cast<int>(Pass::scratch_bytes) + 64)),
        pass);
    ++done;
    std::swap(from, to);
  }
  return from;
}

/// The same for keys alone; returns the view that holds them.
template <class Space, class Key, class Tuning>
In<Space, Key*> radix_sort(const Space& space, const std::type_identity_t<In<Space, Key*>>& keys,
                           const RadixWorkspace<Space, Key, NoValue, Tuning>& work) {
  return radix_sort(space, keys, In<Space, NoValue*>(), work).keys;
}

}  // namespace parallax::kernels
