// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "measure/ceilings/ceiling_kernels.hpp"

/// The kernels whose rates are the ceilings of single accesses: independent loads and atomic
/// additions, at random places of a table or one element after the other.
namespace parallax::access_kernels {

using ceiling_kernels::on_host;
using ceiling_kernels::Policy;
using ceiling_kernels::Way;

template <class Space, class T>
using Table = Kokkos::View<T*, typename Space::memory_space>;

/// Place k of a random order: a bijection of 0 .. 2^bits - 1.
KOKKOS_INLINE_FUNCTION std::uint32_t shuffled(std::uint32_t k, int bits) {
  const std::uint32_t mask = (std::uint32_t{1} << bits) - 1;
  const int half = (bits + 1) / 2;
  for (int round = 0; round < 3; ++round) {
    k = (k * 0x9e3779b1u + 0x7f4a7c15u) & mask;
    k ^= k >> half;
  }
  return k;
}

/// Random places: each of the lowest 2^bits once, where a table has no more, and equally many
/// different ones of a larger table.
template <class Space>
Table<Space, std::uint32_t> random_places(const Space& space, int bits) {
  const Table<Space, std::uint32_t> places(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "ceilings"), std::size_t{1} << bits);
  Kokkos::parallel_for(
      "parallax::ceilings::places", Policy<Space>(space, 0, std::int64_t{1} << bits),
      KOKKOS_LAMBDA(std::int64_t i) {
        const auto k = static_cast<std::uint32_t>(i);
        places(i) = shuffled(k, bits) | (k * 0x85ebca6bu ^ k << 13) << bits;
      });
  return places;
}

/// Another one for each run. It leads to other lines of a table that is larger than the list of
/// places: else the lines of one run would be found in a cache by the next.
inline std::uint32_t next_salt() {
  static std::uint32_t run = 0;
  return run++ * 0x9e3779b0u;
}

template <class Space>
struct Anywhere {
  Table<Space, std::uint32_t> places;
  std::uint32_t mask, salt;
  KOKKOS_FUNCTION std::uint32_t operator()(std::int64_t k) const {
    return (places(k) ^ salt) & mask;
  }
};
struct InOrder {
  std::uint32_t mask;
  KOKKOS_FUNCTION std::uint32_t operator()(std::int64_t k) const {
    return static_cast<std::uint32_t>(k) & mask;
  }
};

template <class Space, class T, class At>
struct Load {
  Table<Space, T> table;
  At at;
  KOKKOS_FUNCTION T operator()(std::int64_t k) const { return table(at(k)); }
};
template <class Space, class T, class At>
struct AtomicAdd {
  Table<Space, T> table;
  At at;
  KOKKOS_FUNCTION T operator()(std::int64_t k) const {
    Kokkos::atomic_add(&table(at(k)), T(1));
    return 0;
  }
};

/// How often: `passes` times over `places` places; both are powers of two.
struct Amount {
  std::int64_t places, passes;
  [[nodiscard]] std::int64_t total() const { return places * passes; }
};

/// A CPU's thread takes a stretch of the places; neighbouring threads of a GPU take neighbours.
template <class Space>
std::int64_t workers_for(const Space& space, const Amount& amount, int each) {
  return on_host<Space> ? std::min<std::int64_t>(space.concurrency(), amount.places)
                        : std::clamp<std::int64_t>(amount.total() / each, 1, std::int64_t{1} << 20);
}

/// One worker's accesses, `each` of them in flight, and their sum. (No lambda: nvcc lets those
/// capture nothing first in an `if constexpr`.)
template <int each, class T, class Space, class Access>
struct Visit {
  Amount amount;
  Access access;
  Table<Space, T> sums;
  std::int64_t workers;
  KOKKOS_FUNCTION void operator()(std::int64_t w) const {
    T s[each] = {};
    if constexpr (on_host<Space>) {
      const std::int64_t begin = amount.places * w / workers;
      const std::int64_t end = amount.places * (w + 1) / workers;
      for (std::int64_t pass = 0; pass < amount.passes; ++pass) {
        std::int64_t k = begin;
        for (; k + each <= end; k += each)
          for (int e = 0; e < each; ++e) s[e] += access(k + e);
        for (; k < end; ++k) s[0] += access(k);
      }
    } else {
      const std::int64_t total = amount.places * amount.passes;
      for (std::int64_t k = w; k < total; k += workers * each)
        for (int e = 0; e < each; ++e)
          if (k + e * workers < total) s[e] += access((k + e * workers) & (amount.places - 1));
    }
    T sum = 0;
    for (int e = 0; e < each; ++e) sum += s[e];
    sums(w) = sum;
  }
};

template <int each, class T, class Space, class Access>
void visit(const char* label, const Space& space, const Amount& amount, const Access& access,
           const Table<Space, T>& sums) {
  const auto workers = static_cast<std::int64_t>(sums.extent(0));
  Kokkos::parallel_for(label, Policy<Space>(space, 0, workers),
                       Visit<each, T, Space, Access>{amount, access, sums, workers});
}

/// Elements of `bytes` bytes in all, a power of two of them; fewer than two words are one element.
template <class T>
std::uint32_t elements(double bytes) {
  return bytes < 2 * sizeof(std::int64_t)
             ? 1
             : std::bit_floor(static_cast<std::uint32_t>(bytes / sizeof(T)));
}

/// A run makes `amount` accesses; `make(salt)` is what it does at each place.
template <int each, class T, class Space, class Make>
Way way(const char* label, const Space& space, const Amount& amount, const Make& make,
        bool alone = false) {
  const auto workers = alone ? 1 : workers_for(space, amount, each);
  const Table<Space, T> sums(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "ceilings"),
                             static_cast<std::size_t>(workers));
  return {[=] { visit<each, T>(label, space, amount, make(next_salt()), sums); },
          static_cast<double>(amount.total())};
}

template <class Space>
std::vector<Way> ways_to_load(const Space& space, const Table<Space, std::int64_t>& table,
                              double bytes, const Table<Space, std::uint32_t>& places,
                              const Amount& amount) {
  using T = std::int64_t;
  const auto make = [=, mask = elements<T>(bytes) - 1](std::uint32_t salt) {
    return Load<Space, T, Anywhere<Space>>{table, {places, mask, salt}};
  };
  const char* const label = "parallax::ceilings::random";
  if constexpr (on_host<Space>) {
    return {way<4, T>(label, space, amount, make), way<16, T>(label, space, amount, make)};
  } else {
    return {way<1, T>(label, space, amount, make), way<4, T>(label, space, amount, make),
            way<8, T>(label, space, amount, make)};
  }
}

/// `at(mask, salt)` says where. A device adds 32 bits in half the time of 64, or in the same. Where
/// a host's threads wait for each other, a single one is quicker.
template <class Space, class Where>
std::vector<Way> ways_to_add(const Space& space, const Table<Space, std::int64_t>& table,
                             double bytes, const Amount& amount, const Where& at) {
  const char* const label = "parallax::ceilings::atomic";
  const auto add = [=]<class T>(const Table<Space, T>& to, bool alone) {
    const auto make = [=, mask = elements<T>(bytes) - 1](std::uint32_t salt) {
      return AtomicAdd<Space, T, decltype(at(mask, salt))>{to, at(mask, salt)};
    };
    return way<1, T>(label, space, amount, make, alone);
  };
  std::vector<Way> ways{add(table, false)};
  if constexpr (on_host<Space>)
    ways.push_back(add(table, true));
  else
    ways.push_back(add(Table<Space, std::uint32_t>(reinterpret_cast<std::uint32_t*>(table.data()),
                                                   2 * table.size()),
                       false));
  return ways;
}

}  // namespace parallax::access_kernels
