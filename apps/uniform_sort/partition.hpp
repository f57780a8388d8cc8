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

/// Where the keys of a bucket go: one after the other from `first` on, or, with a step of -1, one
/// before the other. Those that there is no room for are only counted.
template <class Key>
struct Bucket {
  Key* first = nullptr;
  std::int64_t step = 1, room = 0;
};

template <class Space, class Key>
struct Partition {
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;
  template <class T>
  using Scratch = Kokkos::View<T*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  using Bits = BitsOf<Key>;
  static constexpr int threads = is_host_space<Space> ? 1 : 256;
  static constexpr int items = is_host_space<Space> ? 2048 : 64 / sizeof(Key);
  static constexpr int tile = threads * items, most_buckets = 128;
  static_assert(tile < 1 << 16, "Four counts share a word.");

  In<Space, const Key*> keys;
  In<Space, const Bits*> splitters;  ///< before each bucket but the first
  In<Space, const Bucket<Key>*> buckets;
  In<Space, std::int64_t*> counts;  ///< of each bucket, 0 before

  static std::size_t scratch_bytes(int buckets) {
    return Scratch<Key>::shmem_size(tile) + Scratch<Bits>::shmem_size(buckets) +
           Scratch<int>::shmem_size(buckets + 1) + Scratch<std::int64_t>::shmem_size(buckets);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto n = static_cast<std::int64_t>(keys.extent(0));
    const int size = static_cast<int>(buckets.extent(0)), me = team.team_rank();
    const std::int64_t begin = std::int64_t{team.league_rank()} * tile;
    const auto count = static_cast<int>(Kokkos::min<std::int64_t>(n - begin, tile));
    const auto& scratch = team.team_scratch(0);
    const Scratch<Key> sorted(scratch, tile);
    const Scratch<Bits> before(scratch, size);
    const Scratch<int> starts(scratch, size + 1);
    const Scratch<std::int64_t> places(scratch, size);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size - 1),
                         [&](int b) { before(b) = splitters(b); });
    Key key[items];
    for (int j = 0; j < items; ++j)
      key[j] = j * threads + me < count ? keys(begin + j * threads + me) : Key(0);
    team.team_barrier();

    std::uint8_t bucket[items];
    for (int j = 0; j < items; ++j)
      bucket[j] = j * threads + me < count ? bucket_of(before, size, code_of(key[j])) : 255;
    // Each thread's place among the team's keys of a bucket, for four buckets at a time.
    std::uint16_t rank[items] = {};
    for (int first = 0; first < size; first += 4) {
      const auto one = [&](int j) {
        const int b = bucket[j] - first;
        return b >= 0 && b < 4 ? std::uint64_t{1} << (16 * b) : 0;
      };
      std::uint64_t own = 0;
      for (int j = 0; j < items; ++j) own += one(j);
      std::uint64_t earlier = team.team_scan(own);
      if (me == threads - 1)
        for (int b = first; b < size && b < first + 4; ++b)
          starts(b + 1) = static_cast<int>((earlier + own) >> (16 * (b - first)) & 0xFFFFU);
      for (int j = 0; j < items; ++j)
        if (const std::uint64_t mine = one(j); mine != 0) {
          rank[j] = static_cast<std::uint16_t>(earlier >> (16 * (bucket[j] - first)));
          earlier += mine;
        }
    }
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size), [&](int b) {
      places(b) = Kokkos::atomic_fetch_add(&counts(b), std::int64_t{starts(b + 1)});
    });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      starts(0) = 0;
      for (int b = 0; b < size; ++b) starts(b + 1) += starts(b);
    });
    team.team_barrier();
    for (int j = 0; j < items; ++j)
      if (bucket[j] < size) sorted(starts(bucket[j]) + rank[j]) = key[j];
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int i) {
      const Key moved = sorted(i);
      const int b = bucket_of(before, size, code_of(moved));
      const Bucket<Key> to = buckets(b);
      const std::int64_t place = places(b) + (i - starts(b));
      if (place < to.room) to.first[to.step * place] = moved;
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
