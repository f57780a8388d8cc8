// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Keys for tests of sorts: what breaks them, and what came of them as bits.
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "random/philox.hpp"

namespace parallax::test {

template <class Key>
auto bits(Key key) {
  return std::bit_cast<std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>>(key);
}

/// The order that radix and sample sort promise, by the standard library: of integers by value, of
/// floats IEEE 754's total order, with -0.0 before 0.0 and NaN at both ends by its sign.
template <class Key>
bool before(Key a, Key b) {
  return std::strong_order(a, b) < 0;
}

/// Inputs that break sorts: all bits random, few values, one value, sorted, reversed, and for
/// floats what is not a number.
template <class Key>
std::vector<Key> input(int kind, std::size_t n) {
  using Bits = decltype(bits(Key()));
  std::vector<Key> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t r = random::philox_block(9, i).bits64(0);
    switch (kind) {
      case 0: keys[i] = std::bit_cast<Key>(static_cast<Bits>(r)); break;
      case 1:  // of both signs, where there are two
        keys[i] = static_cast<Key>(r % 7);
        if constexpr (std::is_signed_v<Key>)
          if (r / 7 % 2 != 0) keys[i] = static_cast<Key>(-1 - keys[i]);
        break;
      case 2: keys[i] = Key(42); break;
      case 3: keys[i] = static_cast<Key>(i); break;
      case 4: keys[i] = static_cast<Key>(n - i); break;
      default:
        if constexpr (std::is_floating_point_v<Key>) {
          using Limits = std::numeric_limits<Key>;
          const Key special[] = {Key(0),
                                 -Key(0),
                                 Limits::quiet_NaN(),
                                 -Limits::quiet_NaN(),
                                 Limits::infinity(),
                                 -Limits::infinity(),
                                 Limits::denorm_min(),
                                 -Limits::denorm_min(),
                                 Limits::max(),
                                 Limits::lowest(),
                                 Key(1),
                                 Key(-1)};
          keys[i] = special[r % std::size(special)];
        } else {
          keys[i] = r % 2 == 0 ? std::numeric_limits<Key>::max() : Key(0);
        }
    }
  }
  return keys;
}

template <class Space, class Key>
Kokkos::View<Key*, typename Space::memory_space> device_copy(const std::vector<Key>& x) {
  const Kokkos::View<Key*, typename Space::memory_space> view("keys", x.size());
  Kokkos::deep_copy(view, Kokkos::View<const Key*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                              x.data(), x.size()));
  return view;
}

/// The bits of the view's elements, with which NaN and -0.0 compare as they should.
template <class View>
auto host_bits(const View& view) {
  const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view);
  Kokkos::fence();
  std::vector<decltype(bits(h(0)))> result;
  for (std::size_t i = 0; i < h.extent(0); ++i)
    result.push_back(bits(typename View::non_const_value_type(h(i))));
  return result;
}

}  // namespace parallax::test
