// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Reading an array at the memory's full rate, shared by tree_sum, row_sum and normalize.
//
// A memory is kept busy by wide loads (one instruction brings 16 bytes to a GPU thread; a CPU's
// compiler makes vector loads of a long enough inner loop) and by several of them in flight: a GPU
// thread asks for all of its packs before it uses the first, a CPU core reads ahead by itself. An
// array is cut into blocks, one for a team to read.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "device/pack.hpp"
#include "device/tuning.hpp"

namespace parallax::kernels {

/// How a team of `Space` reads a block of an array of `T`: each of `team_size` threads `loads`
/// packs.
template <class Space, class T, bool Host = is_host_space<Space>>
struct Streaming {
  static constexpr int team_size = 256, loads = 8;
  static constexpr int lanes = static_cast<int>(16 / sizeof(T));  ///< elements of a pack
  static constexpr bool host = false;
};
template <class Space, class T>
struct Streaming<Space, T, true> {
  static constexpr int team_size = 1, loads = 256;
  static constexpr int lanes = static_cast<int>(256 / sizeof(T));
  static constexpr bool host = true;
};

/// An array as packs: `head` elements before the first aligned one, `packs` whole packs, and a
/// tail.
template <class S, class T>
struct Stream {
  using pack = Pack<T, S::lanes>;
  static constexpr std::int64_t block = S::team_size * S::loads;  ///< packs of a team

  const T* data;
  std::int64_t n, head = 0, packs;

  KOKKOS_FUNCTION Stream(const T* from, std::int64_t size) : data(from), n(size) {
    const auto past = reinterpret_cast<std::uintptr_t>(data) % sizeof(pack);
    if (past != 0) head = static_cast<std::int64_t>((sizeof(pack) - past) / sizeof(T));
    if (head > n) head = n;
    packs = (n - head) / S::lanes;
  }

  /// How many blocks there are: at least one, which has the head and the tail to read.
  KOKKOS_FUNCTION int blocks() const {
    return packs <= block ? 1 : static_cast<int>((packs + block - 1) / block);
  }

  /// Calls `use(pack)` for every pack of thread `t`'s part of block `b`. Packs of zeros may come as
  /// well, and elements of the head and the tail come in packs filled up with zeros.
  template <class Use>
  KOKKOS_FUNCTION void read(std::int64_t b, int t, const Use& use) const {
    const pack* from = reinterpret_cast<const pack*>(data + head);
    if constexpr (S::host) {
      const std::int64_t end = (b + 1) * block < packs ? (b + 1) * block : packs;
      for (std::int64_t p = b * block; p < end; ++p) use(from[p]);
    } else {
      // Neighbouring threads read neighbouring packs.
      const std::int64_t first = b * block + t;
      pack x[S::loads];
      if ((b + 1) * block <= packs) {
        for (int u = 0; u < S::loads; ++u) x[u] = from[first + u * S::team_size];
      } else {
        for (int u = 0; u < S::loads; ++u) {
          const std::int64_t p = first + u * S::team_size;
          x[u] = p < packs ? from[p] : pack{};
        }
      }
      for (int u = 0; u < S::loads; ++u) use(x[u]);
    }
    const std::int64_t tail = head + packs * S::lanes;
    if (b == 0 && t == 0 && (head > 0 || tail < n)) {
      pack before{}, behind{};
      for (std::int64_t i = 0; i < head; ++i) before.value[i] = data[i];
      for (std::int64_t i = tail; i < n; ++i) behind.value[i - tail] = data[i];
      use(before);
      use(behind);
    }
  }

  /// The sum of that part: one running sum per lane, so that the additions do not wait for each
  /// other.
  KOKKOS_FUNCTION T sum(std::int64_t b, int t) const {
    pack total{};
    read(b, t, [&](const pack& x) {
      for (int l = 0; l < S::lanes; ++l) total.value[l] += x.value[l];
    });
    for (int width = S::lanes / 2; width > 0; width /= 2)
      for (int l = 0; l < width; ++l) total.value[l] += total.value[l + width];
    return total.value[0];
  }
};

/// The sum of a scratch array of one number per thread, by halves, with a barrier between two
/// levels. Every thread of the team gets it.
template <class Member, class Scratch>
KOKKOS_FUNCTION auto add_in_scratch(const Member& team, const Scratch& x) {
  const int me = team.team_rank();
  team.team_barrier();
  for (int left = team.team_size(); left > 1; left = (left + 1) / 2) {
    const int half = (left + 1) / 2;
    if (me + half < left) x(me) += x(me + half);
    team.team_barrier();
  }
  return x(0);
}

}  // namespace parallax::kernels
