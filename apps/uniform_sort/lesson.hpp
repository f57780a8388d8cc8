// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// uniform_sort: fill an array with uniform random numbers on the device, and sort it ascending.
//
// `merge` merges sorted runs of 1, 2, 4... keys, two and two. The last merge has only two runs, and
// yet all threads have work: each can find where its part of the result begins without the others.
// The keys go from one array to another, and then the other way round: 27 times for 1e8 keys.
// `team_scratch` sorts blocks of 1024 keys in scratch memory first, which saves ten of these trips.
// Traffic: generation writes the array once; a sort reads and writes it at least once.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "random/distributions.hpp"

namespace parallax::kernels::uniform_sort {

/// Indices of 64 bits: there may be 2^40 keys.
template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// Key i depends only on (seed, i): no thread has a generator whose state it must keep.
template <class Keys>
struct GenerateKey {
  using Key = typename Keys::non_const_value_type;
  using Real = std::conditional_t<std::is_floating_point_v<Key>, Key, double>;
  Keys keys;
  random::Uniform<Real> uniform;
  std::uint64_t seed;
  std::int64_t first;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto k = static_cast<std::uint64_t>(first + i);
    if constexpr (std::is_floating_point_v<Key>) {
      keys(i) = random::uniform_at(uniform, seed, k);
    } else {  // integers have all bits random
      constexpr int each = random::per_block<Key>;
      keys(i) = random::block_bits<Key>(random::philox_blocks<1>(seed, k / each),
                                        static_cast<int>(k % each), 0);
    }
  }
};

template <class Space, class Keys>
void philox_range(const Space& space, const Keys& keys, double low, double high, std::uint64_t seed,
                  std::int64_t first = 0) {
  using Real = typename GenerateKey<Keys>::Real;
  const random::Uniform<Real> uniform(static_cast<Real>(low), static_cast<Real>(high));
  Kokkos::parallel_for("parallax::uniform_sort::philox_range",
                       Range<Space>(space, 0, keys.extent(0)),
                       GenerateKey<Keys>{keys, uniform, seed, first});
}

/// Merges the sorted runs [begin, middle) and [middle, end), and makes keys [out, last) of them: it
/// finds which keys of the first run come before them, and then takes the lesser of the two keys at
/// hand, as one merges two piles of cards; of equal ones the first run's. Keys must not be NaN.
template <class Keys>
KOKKOS_FUNCTION void merge_two(const Keys& from, const Keys& to, std::int64_t begin,
                               std::int64_t middle, std::int64_t end, std::int64_t out,
                               std::int64_t last) {
  // Of the `before` keys before ours, `low` are of the first run: a binary search.
  const std::int64_t before = out - begin;
  std::int64_t low = Kokkos::max<std::int64_t>(0, before - (end - middle));
  std::int64_t high = Kokkos::min(before, middle - begin);
  while (low < high) {
    const std::int64_t guess = (low + high) / 2;
    if (from(middle + before - 1 - guess) < from(begin + guess))
      high = guess;
    else
      low = guess + 1;
  }
  std::int64_t first = begin + low, second = middle + before - low;
  for (std::int64_t k = out; k < last; ++k) {
    const bool of_first = second == end || (first < middle && !(from(second) < from(first)));
    to(k) = of_first ? from(first++) : from(second++);
  }
}

/// Merges neighbouring sorted runs of `width` keys, two and two: a thread makes `stretch` keys.
template <class Keys>
struct MergeRuns {
  Keys from, to;
  std::int64_t width, stretch, n;
  KOKKOS_FUNCTION void operator()(std::int64_t thread) const {
    const std::int64_t out = thread * stretch;
    const std::int64_t begin = out / (2 * width) * (2 * width);
    const std::int64_t middle = Kokkos::min(begin + width, n);
    const std::int64_t end = Kokkos::min(begin + 2 * width, n);
    merge_two(from, to, begin, middle, end, out, Kokkos::min(out + stretch, n));
  }
};

/// Sorts `keys`, where each run of `begin` is sorted; the result is where the last merge put it.
/// A thread makes `most` keys, a power of two: few on a GPU, whose threads share a cache.
template <class Space, class Keys>
Keys merge(const Space& space, int most, Keys keys, Keys buffer, int begin = 1) {
  const auto n = static_cast<std::int64_t>(keys.extent(0));
  for (std::int64_t width = begin; width < n; width *= 2) {
    const std::int64_t stretch = Kokkos::min<std::int64_t>(2 * width, most);
    Kokkos::parallel_for("parallax::uniform_sort::merge",
                         Range<Space>(space, 0, (n + stretch - 1) / stretch),
                         MergeRuns<Keys>{keys, buffer, width, stretch, n});
    std::swap(keys, buffer);
  }
  return keys;
}

/// A team sorts 1024 keys in its scratch memory by K. E. Batcher's network (merge exchange; Knuth,
/// volume 3, algorithm 5.2.2M): pairs that are the same whatever the keys are, each put in order,
/// with a barrier after each of the 55 steps. It sorts any number of keys.
template <class Space, class Keys>
Keys team_scratch(const Space& space, int team_size, int most, const Keys& keys,
                  const Keys& buffer) {
  using Scratch = Kokkos::View<typename Keys::non_const_value_type*,
                               typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  constexpr int block = 1024;
  const std::int64_t n = keys.extent(0);
  Kokkos::TeamPolicy<Space> policy(space, static_cast<int>((n + block - 1) / block), team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(block)));
  Kokkos::parallel_for(
      "parallax::uniform_sort::team_scratch", policy,
      KOKKOS_LAMBDA(const typename Kokkos::TeamPolicy<Space>::member_type& team) {
        const Scratch key(team.team_scratch(0), block);
        const std::int64_t begin = std::int64_t{team.league_rank()} * block;
        const auto count = static_cast<int>(Kokkos::min<std::int64_t>(n - begin, block));
        const auto all = Kokkos::TeamThreadRange(team, count);
        Kokkos::parallel_for(all, [&](int i) { key(i) = keys(begin + i); });
        team.team_barrier();
        for (int p = block / 2; p > 0; p /= 2)
          for (int q = block / 2, r = 0, d = p; q >= p; d = q - p, q /= 2, r = p) {
            Kokkos::parallel_for(all, [&](int i) {
              if ((i & p) == r && i + d < count && key(i + d) < key(i))
                Kokkos::kokkos_swap(key(i), key(i + d));
            });
            team.team_barrier();
          }
        Kokkos::parallel_for(all, [&](int i) { keys(begin + i) = key(i); });
      });
  return merge(space, most, keys, buffer, block);
}

}  // namespace parallax::kernels::uniform_sort
