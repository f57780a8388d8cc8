// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// group_sum, tuned: sorted rows are cut into equal parts, whatever the groups, and what is left
// over at a cut is joined afterwards (`sorted_segments`): each row is read once, and no sum is
// atomic. Rows in any order are sorted first (`sort_then_reduce`).
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "device/radix_sort.hpp"
#include "device/tuning.hpp"
#include "group_sum/lesson.hpp"

namespace parallax::kernels::group_sum {

/// How `sorted_segments` is cut: a team takes `rows` rows at a time; a thread walks `run` of them
/// and adds up `together` columns. A GPU first stages the rows in scratch memory, so that global
/// memory is read in whole lines; a CPU has a cache for that.
template <class Space>
struct Tuning {
  static constexpr bool staged = !is_host_space<Space>;
  static constexpr int rows = staged ? 256 : 4096;
  static constexpr int run = staged ? 8 : rows;
  static constexpr int together = staged ? 1 : columns;
};

/// What the teams, one for each share of the rows, leave of the group in which each ends.
template <class Space, class T, class Tune = Tuning<Space>>
struct Workspace {
  explicit Workspace(const Space& space, std::int64_t shares = default_shares(Space()))
      : open(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::group_sum::open"),
             shares),
        key(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::group_sum::key"),
            shares),
        carry(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::group_sum::carry"),
              shares) {}
  /// A few for each place that the machine has for a team.
  static std::int64_t default_shares(const Space& space) {
    const int threads = Tune::rows / Tune::run * (columns / Tune::together);
    return std::max(1, space.concurrency() / threads) * (is_host_space<Space> ? 4 : 10);
  }
  Kokkos::View<int*, typename Space::memory_space> open;  ///< does the next share have it too?
  Kokkos::View<std::int64_t*, typename Space::memory_space> key;
  Sums<Space, T> carry;
};

template <class Space, class T, class Tune>
struct SortedSegments {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Member = typename Policy::member_type;
  template <class X>
  using Scratch = Kokkos::View<X*, typename Space::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  static constexpr bool staged = Tune::staged;
  static constexpr int rows = Tune::rows, run = Tune::run, runs = rows / run;
  static constexpr int parts = columns / Tune::together, threads = runs * parts;
  // An unused place after each run and four after each column: threads read from different banks.
  static constexpr int column_stride = (run + 1) * runs + 4;
  static_assert(rows % run == 0 && columns % Tune::together == 0, "Shares must come out even.");

  Table<Space, T> table;
  std::int64_t first_key, n;
  Sums<Space, T> sums;
  Workspace<Space, T, Tune> work;

  /// Rows r0 .. r0 + rows - 1 of the table, and what the team keeps beside them.
  struct Tile {
    Scratch<std::int64_t> key_;  ///< key_(r + 1) is row r's
    Scratch<T> value_;
    Scratch<T> head;  ///< of each run: the sum of the group that it ends without having begun it
    /// [k + 2] of run k: the sum of the group that goes on; [0], [1]: of the tile
    Scratch<T> tail;
    std::int64_t r0 = 0;
    int rows = 0;
  };
  static std::size_t scratch_bytes() {
    return Scratch<T>::shmem_size(runs * columns) + Scratch<T>::shmem_size((runs + 2) * columns) +
           (staged ? Scratch<std::int64_t>::shmem_size(rows + 2) +
                         Scratch<T>::shmem_size(columns * column_stride)
                   : 0);
  }

  /// The key of row r = -1 .. rows of the tile. Beyond the table's ends are keys that no row has.
  KOKKOS_FUNCTION std::int64_t key(const Tile& tile, int r) const {
    if constexpr (staged) return tile.key_(r + 1);
    return r >= 0 && r < tile.rows ? table.key(tile.r0 + r) : key_of_row(tile.r0 + r);
  }
  KOKKOS_FUNCTION std::int64_t key_of_row(std::int64_t r) const {
    if (r >= 0 && r < n) return table.key(r);
    const auto nearest = static_cast<std::uint64_t>(table.key(r < 0 ? 0 : n - 1));
    return static_cast<std::int64_t>(r < 0 ? nearest - 1 : nearest + 1);  // may wrap
  }
  /// Column c of the tile: row r is element place(r).
  KOKKOS_FUNCTION const T* column(const Tile& tile, int c) const {
    if constexpr (staged) return &tile.value_(c * column_stride);
    return &table.value[c](tile.r0);
  }
  KOKKOS_FUNCTION static int place(int r) { return staged ? r + r / run : r; }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    Tile tile;
    tile.head = Scratch<T>(team.team_scratch(0), runs * columns);
    tile.tail = Scratch<T>(team.team_scratch(0), (runs + 2) * columns);
    if constexpr (staged) {
      tile.key_ = Scratch<std::int64_t>(team.team_scratch(0), rows + 2);
      tile.value_ = Scratch<T>(team.team_scratch(0), columns * column_stride);
    }
    const int me = team.team_rank(), size = team.team_size();
    const std::int64_t s = team.league_rank(), shares = team.league_size();
    const std::int64_t begin = n * s / shares, end = n * (s + 1) / shares;

    for (int c = me; c < 2 * columns; c += size) tile.tail(c) = 0;
    int before = 0;  // which of tail's first two rows holds the sum that is brought along
    for (std::int64_t r0 = begin; r0 < end; r0 += rows, before = 1 - before) {
      tile.r0 = r0;
      tile.rows = static_cast<int>(Kokkos::min<std::int64_t>(rows, end - r0));
      if constexpr (staged) stage(team, tile);
      // Groups without rows stay 0. One that the tile ends is written below, one that goes on
      // later.
      const std::int64_t latest = key(tile, tile.rows - 1);
      const std::int64_t from = r0 == 0 ? 0 : key(tile, -1) + 1 - first_key;
      const std::int64_t to = latest - first_key + (key(tile, tile.rows) == latest ? 0 : 1);
      for (std::int64_t i = from * columns + me; i < to * columns; i += size) sums.data()[i] = 0;
      team.team_barrier();
      for (int t = me; t < runs * parts; t += size) walk(t / parts, t % parts, tile);
      team.team_barrier();
      for (int t = me; t < (runs + 1) * columns; t += size) {
        if (t / columns < runs)
          finish(t / columns, t % columns, before, tile);
        else
          tile.tail((1 - before) * columns + t % columns) = carried(t % columns, before, tile);
      }
      team.team_barrier();
    }
    if (me == 0) {  // a share without rows passes on that the group goes on
      work.open(s) = end > 0 && end < n && table.key(end) == table.key(end - 1);
      work.key(s) = end > 0 ? table.key(end - 1) : 0;
    }
    for (int c = me; c < columns; c += size) work.carry(s, c) = tile.tail(before * columns + c);
  }

  /// Brings a tile into scratch memory, its keys with one more on each side.
  KOKKOS_FUNCTION void stage(const Member& team, const Tile& tile) const {
    const int me = team.team_rank(), size = team.team_size();
    const auto at = [](int c, int r) { return c * column_stride + place(r); };
    if (tile.rows == rows) {  // a fixed number of loads for each thread, all in flight together
      constexpr int each = rows / threads;
      std::int64_t k[each];
      T x[columns][each];
      const std::int64_t first = tile.r0 + me;
      for (int u = 0; u < each; ++u) k[u] = table.key(first + u * threads);
      for (int c = 0; c < columns; ++c)
        for (int u = 0; u < each; ++u) x[c][u] = table.value[c](first + u * threads);
      for (int u = 0; u < each; ++u) tile.key_(me + u * threads + 1) = k[u];
      for (int c = 0; c < columns; ++c)
        for (int u = 0; u < each; ++u) tile.value_(at(c, me + u * threads)) = x[c][u];
    } else {
      for (int r = me; r < tile.rows; r += size) {
        tile.key_(r + 1) = table.key(tile.r0 + r);
        for (int c = 0; c < columns; ++c) tile.value_(at(c, r)) = table.value[c](tile.r0 + r);
      }
    }
    if (me == 0) tile.key_(0) = key_of_row(tile.r0 - 1);
    if (me == 0) tile.key_(tile.rows + 1) = key_of_row(tile.r0 + tile.rows);
    team.team_barrier();
  }

  /// Adds up the rows of one run, and writes the sums of the groups that begin and end in it.
  KOKKOS_FUNCTION void walk(int k, int part, const Tile& tile) const {
    constexpr int together = Tune::together;
    const int from = k * run, to = Kokkos::min(from + run, tile.rows), c0 = part * together;
    T sum[together] = {};
    if (from < to) {
      std::int64_t now = key(tile, from);
      bool began_here = key(tile, from - 1) != now;
      const T* value[together];
      for (int c = 0; c < together; ++c) value[c] = column(tile, c0 + c);
      for (int r = from; r < to; ++r) {
        for (int c = 0; c < together; ++c) sum[c] += value[c][place(r)];
        const std::int64_t next = key(tile, r + 1);
        if (next == now) continue;
        for (int c = 0; c < together; ++c) {
          if (began_here)
            sums(now - first_key, c0 + c) = sum[c];
          else
            tile.head(k * columns + c0 + c) = sum[c];
          sum[c] = 0;
        }
        began_here = true;
        now = next;
      }
    }
    for (int c = 0; c < together; ++c) tile.tail((k + 2) * columns + c0 + c) = sum[c];
  }

  /// What the runs before run k, and the tiles before this one, left of the group of row k * run
  /// - 1.
  KOKKOS_FUNCTION T left_before(int k, std::int64_t group, int c, int before,
                                const Tile& tile) const {
    T sum = 0;
    while (k > 0) {
      --k;
      sum += tile.tail((k + 2) * columns + c);
      if (key(tile, k * run - 1) != group) return sum;  // it began in this run
    }
    return sum + tile.tail(before * columns + c);
  }

  /// Completes the group that run k ends without having begun it.
  KOKKOS_FUNCTION void finish(int k, int c, int before, const Tile& tile) const {
    const int from = k * run, to = Kokkos::min(from + run, tile.rows);
    if (from >= to) return;
    const std::int64_t group = key(tile, from - 1);
    if (key(tile, from) != group || key(tile, to) == group) return;
    sums(group - first_key, c) =
        left_before(k, group, c, before, tile) + tile.head(k * columns + c);
  }

  /// The sum so far of the group that goes on in the next tile, if one does.
  KOKKOS_FUNCTION T carried(int c, int before, const Tile& tile) const {
    const std::int64_t group = key(tile, tile.rows - 1);
    if (key(tile, tile.rows) != group) return T(0);
    return left_before((tile.rows + run - 1) / run, group, c, before, tile);
  }
};

/// For sorted keys. The order of additions depends only on the number of shares.
template <class Space, class T, class Tune>
void sorted_segments(const Space& space, const Table<Space, T>& table, std::int64_t first_key,
                     const Sums<Space, T>& sums, const Workspace<Space, T, Tune>& work) {
  using Kernel = SortedSegments<Space, T, Tune>;
  const std::int64_t n = table.key.extent(0), shares = work.open.extent(0);
  if (n == 0) return;
  Kokkos::parallel_for("parallax::group_sum::sorted_segments",
                       typename Kernel::Policy(space, static_cast<int>(shares), Kernel::threads)
                           .set_scratch_size(0, Kokkos::PerTeam(Kernel::scratch_bytes())),
                       Kernel{table, first_key, n, sums, work});
  Kokkos::parallel_for(
      "parallax::group_sum::sorted_segments::join", Range<Space>(space, 0, shares * columns),
      KOKKOS_LAMBDA(std::int64_t i) {
        const std::int64_t s = i / columns, c = i % columns, key = work.key(s);
        // The first share that left a part of a group adds for all that did.
        if (!work.open(s) || (s > 0 && work.open(s - 1) && work.key(s - 1) == key)) return;
        T sum = 0;
        for (std::int64_t t = s; t < shares && work.open(t) && work.key(t) == key; ++t)
          sum += work.carry(t, c);
        sums(key - first_key, c) += sum;
      });
}

/// What sorting needs: keys to sort, the rows that they come from, and a sorted table.
template <class Space, class T>
struct SortBuffers {
  SortBuffers(const Space& space, std::int64_t n)
      : work(space, n),
        key(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::group_sum::sorted"),
            n),
        row(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::group_sum::row"), n) {
    for (auto& column : sorted)
      column = Kokkos::View<T*, typename Space::memory_space>(
          Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::group_sum::column"), n);
  }
  RadixWorkspace<Space, std::int64_t, std::int32_t> work;
  Kokkos::View<std::int64_t*, typename Space::memory_space> key;
  Kokkos::View<std::int32_t*, typename Space::memory_space> row;
  Kokkos::View<T*, typename Space::memory_space> sorted[columns];
};

/// For keys in any order: sorts (key, row), brings the columns into that order, and sums segments.
/// The sort is stable, so that the sums are the same in every run.
template <class Space, class T, class Tune>
void sort_then_reduce(const Space& space, const Table<Space, T>& table, std::int64_t first_key,
                      const Sums<Space, T>& sums, const SortBuffers<Space, T>& buffers,
                      const Workspace<Space, T, Tune>& work) {
  const std::int64_t n = table.key.extent(0);
  if (n == 0) return;
  Kokkos::deep_copy(space, buffers.key, table.key);
  const auto row = buffers.row;
  Kokkos::parallel_for(
      "parallax::group_sum::sort_then_reduce::rows", Range<Space>(space, 0, n),
      KOKKOS_LAMBDA(std::int64_t i) { row(i) = static_cast<std::int32_t>(i); });
  const auto sorted = radix_sort(space, buffers.key, row, buffers.work);
  Table<Space, T> in_order{sorted.keys, {}};
  for (int c = 0; c < columns; ++c) in_order.value[c] = buffers.sorted[c];
  const auto from = sorted.values;
  Kokkos::parallel_for(
      "parallax::group_sum::sort_then_reduce::gather", Range<Space>(space, 0, n),
      KOKKOS_LAMBDA(std::int64_t i) {
        for (int c = 0; c < columns; ++c) in_order.value[c](i) = table.value[c](from(i));
      });
  sorted_segments(space, in_order, first_key, sums, work);
}

}  // namespace parallax::kernels::group_sum
