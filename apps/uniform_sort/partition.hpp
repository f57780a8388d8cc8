// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Partition: keys go to buckets by splitters, in one trip through memory, in any order within a
// bucket. A team takes a tile of keys, counts them by bucket, reserves room for them in each, and
// puts them in order in its scratch memory, so that it writes long runs.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "device/radix_key.hpp"
#include "device/tuning.hpp"

namespace parallax::kernels::uniform_sort {

template <class Key>
using BitsOf = typename RadixKey<Key>::Bits;

/// A key as an integer of the same order. -0.0 is equal to 0.0 here.
template <class Key>
KOKKOS_FUNCTION BitsOf<Key> code_of(Key key) {
  if (key == 0) key = 0;
  return RadixKey<Key>::encode(Kokkos::bit_cast<BitsOf<Key>>(key));
}

/// Codes of `codes.extent(0)` evenly spaced keys.
template <class Keys, class Codes>
struct SampleAll {
  Keys keys;
  Codes codes;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto n = static_cast<std::int64_t>(keys.extent(0)),
               count = static_cast<std::int64_t>(codes.extent(0));
    codes(i) = code_of(keys(n / count * i + n % count * i / count));
  }
};

/// Where the keys of a bucket go: one after the other from `first` on. Those that there is no room
/// for are only counted.
template <class Key>
struct Bucket {
  Key* first = nullptr;
  std::int64_t room = 0;
};

/// A gap among keys, and a key that goes there.
struct Move {
  std::int64_t from, to;
};

template <class Keys>
struct CloseGaps {
  Keys keys;
  const Move* moves;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { keys(moves[i].to) = keys(moves[i].from); }
};

template <class Space, class Key>
struct Partition {
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;
  template <class T>
  using Scratch = Kokkos::View<T*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  using Bits = BitsOf<Key>;
  static constexpr int threads = is_host_space<Space> ? 1 : 256;
  static constexpr int items = is_host_space<Space> ? 2048 : sizeof(Key) == 8 ? 12 : 16;
  static constexpr int tile = threads * items, most_buckets = 128;
  static_assert(tile <= 1 << 16, "A place in a tile takes 16 bits.");
  /// Two counts are in different lines of the cache: teams wait for each other at a line.
  static constexpr int apart = is_host_space<Space> ? 1 : 16;

  /// Where a team's keys of a bucket go: key i, in scratch memory, to first[from + i].
  struct Target {
    Key* first;
    std::int64_t from;
    int end;  ///< from key `end` on there is no room
  };

  In<Space, const Key*> keys;
  In<Space, const Bits*> splitters;  ///< before each bucket but the first
  In<Space, const Bucket<Key>*> buckets;
  In<Space, std::int64_t*> counts;  ///< of bucket b: counts(b * apart), 0 before
  /// The least code and the largest: of a sample before, of all keys too behind. Few threads find
  /// one beyond it.
  In<Space, Bits*> range;

  /// How many counters of its keys a team has for a bucket: threads that count in one wait for
  /// each other.
  KOKKOS_FUNCTION static int copies(int buckets) {
    return is_host_space<Space> ? 1 : Kokkos::max(1, 32 / buckets);
  }

  static std::size_t scratch_bytes(int buckets) {
    const int counters = copies(buckets) * buckets;
    return Scratch<Key>::shmem_size(tile) + Scratch<std::uint8_t>::shmem_size(tile) +
           Scratch<Bits>::shmem_size(buckets) + Scratch<int>::shmem_size(counters) +
           Scratch<int>::shmem_size(counters + 1) + Scratch<Target>::shmem_size(buckets);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto n = static_cast<std::int64_t>(keys.extent(0));
    const int size = static_cast<int>(buckets.extent(0)), me = team.team_rank();
    const std::int64_t begin = std::int64_t{team.league_rank()} * tile;
    const auto count = static_cast<int>(Kokkos::min<std::int64_t>(n - begin, tile));
    const auto& scratch = team.team_scratch(0);
    const Scratch<Key> sorted(scratch, tile);
    const Scratch<std::uint8_t> bucket_at(scratch, tile);
    const Scratch<Bits> before(scratch, size);
    const int each = copies(size), counters = each * size, own = me % each;
    const Scratch<int> found(scratch, counters), starts(scratch, counters + 1);
    const Scratch<Target> targets(scratch, size);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, counters), [&](int c) {
      found(c) = 0;
      if (c + 1 < size) before(c) = splitters(c);
    });
    Key key[items];
    for (int j = 0; j < items; ++j)
      key[j] = j * threads + me < count ? keys(begin + j * threads + me) : Key(0);
    team.team_barrier();

    std::uint8_t bucket[items];
    std::uint16_t place[items];  // among the keys that were counted there
    Bits least = range(0), largest = range(1);
    for (int j = 0; j < items; ++j)
      if (j * threads + me < count) {
        const Bits code = code_of(key[j]);
        least = Kokkos::min(least, code);
        largest = Kokkos::max(largest, code);
        bucket[j] = static_cast<std::uint8_t>(bucket_of(before, size, code));
        int* const counter = &found(bucket[j] * each + own);
        place[j] = static_cast<std::uint16_t>(threads == 1 ? (*counter)++
                                                           : Kokkos::atomic_fetch_add(counter, 1));
      }
    if (least < range(0)) Kokkos::atomic_min(&range(0), least);
    if (largest > range(1)) Kokkos::atomic_max(&range(1), largest);
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, counters + 1), [&](int c) {
      int sum = 0;
      for (int earlier = 0; earlier < c; ++earlier) sum += found(earlier);
      starts(c) = sum;
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size), [&](int b) {
      const Bucket<Key> to = buckets(b);
      const int start = starts(b * each), keys_of_bucket = starts((b + 1) * each) - start;
      const std::int64_t first = Kokkos::atomic_fetch_add(&counts(b * apart), keys_of_bucket);
      const auto room = Kokkos::clamp<std::int64_t>(to.room - first, 0, tile);
      targets(b) = {to.first, first - start, start + static_cast<int>(room)};
    });
    for (int j = 0; j < items; ++j)
      if (j * threads + me < count) {
        const int at = starts(bucket[j] * each + own) + place[j];
        sorted(at) = key[j];
        bucket_at(at) = bucket[j];
      }
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int i) {
      const Target to = targets(bucket_at(i));
      if (i < to.end) to.first[to.from + i] = sorted(i);
    });
  }

 private:
  /// How many splitters are not above it.
  KOKKOS_FUNCTION static int bucket_of(const Scratch<Bits>& before, int buckets, Bits code) {
    int low = 0, high = buckets - 1;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (before(middle) <= code)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/// Moves `keys` to `buckets` (at most Partition::most_buckets), and counts them.
template <class Space, class Key>
void partition(const Space& space, const Partition<Space, Key>& work) {
  using Work = Partition<Space, Key>;
  const auto n = static_cast<std::int64_t>(work.keys.extent(0));
  Kokkos::deep_copy(space, work.counts, 0);
  Kokkos::TeamPolicy<Space, Kokkos::LaunchBounds<Work::threads, 4>> teams(
      space, static_cast<int>((n + Work::tile - 1) / Work::tile), Work::threads);
  teams.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(
                                Work::scratch_bytes(static_cast<int>(work.buckets.extent(0))))));
  Kokkos::parallel_for("parallax::uniform_sort::partition", teams, work);
}

}  // namespace parallax::kernels::uniform_sort
