// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Keys of the radix sort as unsigned integers: what "less" means for a sort that never compares.
//
// Order: unsigned integers as they are; signed ones with their sign bit turned; floats in IEEE
// 754's total order, -NaN < -inf < ... < -0.0 < +0.0 < ... < inf < NaN.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include "device/pack.hpp"
#include "device/tuning.hpp"

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
      // Negative numbers are stored by magnitude: the larger, the smaller.
      return b & sign ? ~b : b | sign;
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

inline constexpr int radix_bits = 8;  ///< of a digit
inline constexpr int radix_bins = 1 << radix_bits;

/// How many bits it takes to write `value`.
template <class Bits>
int radix_width(Bits value) {
  int width = 0;
  for (; value != 0; value >>= 1) ++width;
  return width;
}

/// The least and the largest key, encoded.
template <class Key>
struct RadixRange {
  using Bits = typename RadixKey<Key>::Bits;
  Bits least = 0, largest = ~Bits{0};
};

/// Finds the range of `n` encoded keys, `step` keys apart.
template <class Space, class Key>
RadixRange<Key> radix_range_of(const Space& space, const In<Space, const Key*>& keys,
                               std::int64_t n, std::int64_t step) {
  using Bits = typename RadixKey<Key>::Bits;
  using Reducer = Kokkos::MinMax<Bits>;
  typename Reducer::value_type found;
  constexpr int lanes = is_host_space<Space> ? 1 : 16 / sizeof(Key);  // one wide load
  using Wide = Pack<Key, lanes>;
  const Key* data = keys.data();
  const bool wide = step == 1 && reinterpret_cast<std::uintptr_t>(data) % alignof(Wide) == 0;
  const std::int64_t packs = wide ? n / lanes : 0;
  Kokkos::parallel_reduce(
      "parallax::radix_sort::range",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0,
                                                                  packs + (n - packs * lanes)),
      KOKKOS_LAMBDA(std::int64_t i, typename Reducer::value_type & r) {
        const auto add = [&](Key key) {
          const Bits b = RadixKey<Key>::encode(Kokkos::bit_cast<Bits>(key));
          r.min_val = b < r.min_val ? b : r.min_val;
          r.max_val = b > r.max_val ? b : r.max_val;
        };
        if (i < packs) {
          const Wide x = reinterpret_cast<const Wide*>(data)[i];
          for (int l = 0; l < lanes; ++l) add(x.value[l]);
        } else {
          add(data[(i + packs * (lanes - 1)) * step]);
        }
      },
      Reducer(found));
  return {found.min_val, found.max_val};
}

/// The range of all keys; or of every possible key, where a sample of a thousand shows already
/// that to know it would save nothing: keys that need all their digits. Waits for the result.
template <class Space, class Key>
RadixRange<Key> radix_range(const Space& space, const In<Space, const Key*>& keys) {
  const auto n = static_cast<std::int64_t>(keys.extent(0));
  constexpr std::int64_t sample = 1024;
  if (n > 64 * sample) {
    const auto some = radix_range_of<Space, Key>(space, keys, sample, n / sample);
    const int digits = (radix_width(some.largest - some.least) + radix_bits - 1) / radix_bits;
    if (digits == static_cast<int>(sizeof(Key))) return {};
  }
  return radix_range_of<Space, Key>(space, keys, n, 1);
}

}  // namespace parallax::kernels
