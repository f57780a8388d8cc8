// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// A parallel sort for hosts, where Kokkos::sort is std::sort on one core. Two trips through memory,
// whatever the keys:
//   1. a sorted sample of the keys gives splitters, which cut the keys into about equal buckets;
//   2. every core finds the buckets of its share of keys, a few levels of a search tree, and counts
//   them;
//   3. a scan of the counts says where each core's part of each bucket goes, and the keys are moved
//   there;
//   4. each bucket now fits a core's second-level cache and is sorted there, by digits of 11 bits.
// Source: P. Sanders, S. Winkel, "Super scalar sample sort", ESA 2004; the radix sort inside
// buckets is ours. Keys equal to a splitter get a separate bucket, which needs no sorting: many
// equal keys are the quickest case. Traffic: 6 arrays of keys (read to classify, read and write to
// move, write-allocate, read and write to sort) and 2 of bucket numbers. Memory: the keys twice,
// and 2 bytes a key.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <vector>

#include "device/radix_key.hpp"
#include "random/philox.hpp"
#include "uniform_sort/lesson.hpp"

namespace parallax::kernels::uniform_sort {

/// The splitters as a search tree without pointers: the children of node i are 2i and 2i + 1.
template <class Bits>
struct SplitterTree {
  static constexpr int levels = 9, leaves = 1 << levels;  ///< buckets between splitters
  static constexpr int buckets = 2 * leaves;  ///< and one for keys equal to each splitter
  Bits node[leaves], sorted[leaves + 1];

  /// From a sorted sample.
  explicit SplitterTree(const std::vector<Bits>& sample) {
    sorted[0] = 0;
    for (int i = 1; i < leaves; ++i) sorted[i] = sample[sample.size() * i / leaves];
    sorted[leaves] = ~Bits{0};
    node[0] = 0;
    for (int i = 1; i < leaves;
         ++i) {  // node i of level l is the middle of its part of the sorted splitters
      int level = 0;
      while ((i >> (level + 1)) != 0) ++level;
      node[i] = sorted[((2 * (i - (1 << level)) + 1) * leaves) >> (level + 1)];
    }
  }

  /// Buckets of `Lanes` keys at once: each level is one loop over lanes, which becomes SIMD
  /// gathers.
  template <int Lanes>
  void classify(const Bits (&key)[Lanes], std::uint16_t (&bucket)[Lanes]) const {
    std::uint32_t i[Lanes];
    for (int l = 0; l < Lanes; ++l) i[l] = 1;
    for (int level = 0; level < levels; ++level) {
      for (int l = 0; l < Lanes; ++l) i[l] = 2 * i[l] + (key[l] > node[i[l]] ? 1 : 0);
    }
    for (int l = 0; l < Lanes; ++l) {  // leaf b holds sorted[b] < key <= sorted[b + 1]
      const std::uint32_t b = i[l] - leaves;
      bucket[l] = static_cast<std::uint16_t>(2 * b + (key[l] == sorted[b + 1] ? 1 : 0));
    }
  }
};

/// Sorts one bucket, `a[0 .. n)`, with `b[0 .. n)` as its second buffer; the result goes to `b`.
/// Encoded keys.
template <class Bits>
void sort_bucket(Bits* a, Bits* b, std::int64_t n) {
  constexpr int digit_bits = 11, bins = 1 << digit_bits;
  Bits least = ~Bits{0}, largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    least = std::min(least, a[i]);
    largest = std::max(largest, a[i]);
  }
  const Bits range = largest - least;
  Bits *from = a, *to = b;
  if (n < bins / 4) {  // too few keys to fill the bins
    if (range > 0) std::sort(from, from + n);
  } else {
    for (int shift = 0; shift < static_cast<int>(8 * sizeof(Bits)) && (range >> shift) != 0;
         shift += digit_bits) {
      std::uint32_t start[bins + 1] = {};
      for (std::int64_t i = 0; i < n; ++i) ++start[1 + (((from[i] - least) >> shift) & (bins - 1))];
      for (int d = 0; d < bins; ++d) start[d + 1] += start[d];
      for (std::int64_t i = 0; i < n; ++i) {
        to[start[((from[i] - least) >> shift) & (bins - 1)]++] = from[i];
      }
      std::swap(from, to);
    }
  }
  if (from != b) std::copy(from, from + n, b);
}

/// What a sort of `n` keys needs besides the keys.
template <class Space, class Key>
struct SampleWorkspace {
  using Bits = typename RadixKey<Key>::Bits;
  In<Space, Bits*> keys;
  In<Space, std::uint16_t*> bucket;

  SampleWorkspace(const Space& space, std::int64_t n)
      : keys(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::sample_sort::keys"),
             n),
        bucket(
            Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::sample_sort::bucket"),
            n) {}
};

/// Sorts `keys` ascending, in the order of RadixKey (floats: IEEE 754's total order).
template <class Space, class Key>
void sample(const Space& space, const std::type_identity_t<In<Space, Key*>>& keys,
            const SampleWorkspace<Space, Key>& work) {
  static_assert(is_host_space<Space>, "The sample sort is for hosts: on a device use radix_sort.");
  using Bits = typename RadixKey<Key>::Bits;
  using Tree = SplitterTree<Bits>;
  const auto n = static_cast<std::int64_t>(keys.extent(0));
  const auto bits_of = [keys](std::int64_t i) {
    const Key key = keys(i);
    return RadixKey<Key>::encode(Kokkos::bit_cast<Bits>(key));
  };
  if (n < 4 * Tree::buckets) {
    for (std::int64_t i = 0; i < n; ++i) work.keys(i) = bits_of(i);
    std::sort(work.keys.data(), work.keys.data() + n);
    for (std::int64_t i = 0; i < n; ++i) {
      keys(i) = Kokkos::bit_cast<Key>(RadixKey<Key>::decode(work.keys(i)));
    }
    return;
  }

  std::vector<Bits> some(16 * Tree::leaves);
  for (std::size_t i = 0; i < some.size(); ++i) {
    some[i] = bits_of(static_cast<std::int64_t>(random::philox_block(n, i).bits64(0) % n));
  }
  std::sort(some.begin(), some.end());
  const Tree tree(some);

  // Twice as many shares as cores: few enough that the counts are small, enough for stragglers.
  const std::int64_t shares = 2 * space.concurrency(), length = (n + shares - 1) / shares;
  const Kokkos::View<std::int64_t**, Kokkos::LayoutRight, Space> counts(
      "parallax::sample_sort::counts", shares, int{Tree::buckets});
  Kokkos::parallel_for("parallax::sample_sort::classify", Range<Space>(space, 0, shares),
                       [=, &tree](std::int64_t share) {
                         constexpr int lanes = 16;
                         const std::int64_t end = std::min(n, (share + 1) * length);
                         std::int64_t i = std::min(n, share * length);
                         for (; i < end; i += lanes) {
                           Bits key[lanes];
                           std::uint16_t bucket[lanes];
                           const int valid =
                               static_cast<int>(std::min<std::int64_t>(lanes, end - i));
                           for (int l = 0; l < lanes; ++l) key[l] = bits_of(l < valid ? i + l : i);
                           tree.classify(key, bucket);
                           for (int l = 0; l < valid; ++l) {
                             work.bucket(i + l) = bucket[l];
                             ++counts(share, bucket[l]);
                           }
                         }
                       });
  std::vector<std::int64_t> start(Tree::buckets + 1);
  space.fence("parallax::sample_sort: counts");
  std::int64_t sum = 0;
  for (int b = 0; b < Tree::buckets; ++b) {
    start[b] = sum;
    for (std::int64_t s = 0; s < shares; ++s) sum += std::exchange(counts(s, b), sum);
  }
  start[Tree::buckets] = sum;
  Kokkos::parallel_for("parallax::sample_sort::move", Range<Space>(space, 0, shares),
                       [=](std::int64_t share) {
                         const std::int64_t end = std::min(n, (share + 1) * length);
                         std::int64_t* to = &counts(share, 0);
                         for (std::int64_t i = std::min(n, share * length); i < end; ++i)
                           work.keys(to[work.bucket(i)]++) = bits_of(i);
                       });
  using Dynamic = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>,
                                      Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(
      "parallax::sample_sort::sort", Dynamic(space, 0, int{Tree::buckets}, Kokkos::ChunkSize(1)),
      [=, &start](std::int64_t b) {
        const std::int64_t begin = start[b], size = start[b + 1] - start[b];
        auto* out = reinterpret_cast<Bits*>(keys.data() + begin);
        sort_bucket(work.keys.data() + begin, out, size);
        for (std::int64_t i = begin; i < begin + size; ++i) {
          keys(i) = Kokkos::bit_cast<Key>(RadixKey<Key>::decode(Kokkos::bit_cast<Bits>(keys(i))));
        }
      });
  space.fence("parallax::sample_sort: splitters are on this stack");
}

}  // namespace parallax::kernels::uniform_sort
