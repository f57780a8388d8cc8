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
#include <type_traits>

#include "device/pack.hpp"
#include "device/radix_sort.hpp"
#include "device/tuning.hpp"
#include "group_sum/lesson.hpp"

namespace parallax::kernels::group_sum {

/// How `sorted_segments` is cut: a team takes `rows` rows at a time, and a thread walks `run` of
/// them. A GPU first stages the rows in scratch memory, so that global memory is read in whole
/// lines; a CPU has a cache for that.
template <class Space>
struct Tuning {
  static constexpr bool staged = !is_host_space<Space>;
  /// Columns that a thread adds up: on a GPU 16 bytes of sums, which one instruction stores.
  template <class T>
  static constexpr int together = staged ? 16 / static_cast<int>(sizeof(T)) : columns;
  /// On a GPU what 128 threads walk.
  template <class T>
  static constexpr int rows = staged ? 256 * together<T> : 4096;
  template <class T>
  static constexpr int run = staged ? 8 : rows<T>;
};

/// What the teams, one for each share of the rows, leave of the group in which each ends.
template <class Space, class T, class Tune = Tuning<Space>>
struct Workspace {
  Workspace(const Space& space, std::int64_t shares)
      : open(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::group_sum::open"),
             shares),
        key(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::group_sum::key"),
            shares),
        carry(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "parallax::group_sum::carry"),
              shares) {}
  /// Of n rows: a few for each place that the machine has for a team; on a GPU none is shorter than
  /// 1024, unless the table is.
  static std::int64_t shares_of(const Space& space, std::int64_t n) {
    const std::int64_t rows = Tune::template rows<T>, runs = rows / Tune::template run<T>,
                       parts = columns / Tune::template together<T>,
                       places = std::max<std::int64_t>(1, space.concurrency() / (runs * parts));
    return Tune::staged ? std::clamp<std::int64_t>(n / (rows * parts), 1, 3 * places) : 4 * places;
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
  static constexpr int rows = Tune::template rows<T>, run = Tune::template run<T>,
                       runs = rows / run;
  static constexpr int together = Tune::template together<T>, parts = columns / together,
                       threads = runs * parts;
  // An unused place after each run: threads that walk side by side read from different banks.
  static constexpr int places = (run + 1) * runs;
  static_assert(rows % run == 0, "Shares must come out even.");
  /// A key's distance from the first. There are fewer groups than an int counts.
  using Group = std::conditional_t<staged, std::int32_t, std::int64_t>;
  using Part = Pack<T, together>;  // of a row of sums

  Table<Space, T> table;
  std::int64_t first_key, n;
  Sums<Space, T> sums;
  Workspace<Space, T, Tune> work;

  /// Rows r0 .. r0 + rows - 1 of the table, and what the team keeps beside them.
  struct Tile {
    Scratch<Group> group_;  ///< group_(place(r) + 1) is row r's, from the row before the tile on
    Scratch<T> value_;
    Scratch<Part> tail;   ///< of each run: the sum of the group that goes on
    Scratch<Part> carry;  ///< what the tiles before left of the group that goes on, and this one
    std::int64_t r0 = 0;
    int rows = 0;
  };
  static std::size_t scratch_bytes() {
    return Scratch<Part>::shmem_size(threads) + Scratch<Part>::shmem_size(2 * parts) +
           (staged
                ? Scratch<Group>::shmem_size(places + 2) + Scratch<T>::shmem_size(columns * places)
                : 0);
  }

  /// The group of row r = -1 .. rows of the tile. Beyond the table's ends are groups that no row
  /// has: -1, and one after the last.
  KOKKOS_FUNCTION Group group(const Tile& tile, int r) const {
    if constexpr (staged) return tile.group_(place(r) + 1);
    return r >= 0 && r < tile.rows ? table.key(tile.r0 + r) - first_key : group_of(tile.r0 + r);
  }
  KOKKOS_FUNCTION std::int64_t group_of(std::int64_t r) const {
    const std::int64_t nearest = table.key(r < 0 ? 0 : r < n ? r : n - 1) - first_key;
    return r < 0 ? -1 : r < n ? nearest : nearest + 1;
  }
  /// Column c of the tile: row r is element place(r).
  KOKKOS_FUNCTION const T* column(const Tile& tile, int c) const {
    if constexpr (staged) return &tile.value_(c * places);
    return &table.value[c](tile.r0);
  }
  KOKKOS_FUNCTION static int place(int r) { return staged ? r + r / run : r; }
  /// Part i of all sums, group by group.
  KOKKOS_FUNCTION void store(std::int64_t i, const Part& sum) const {
    if constexpr (staged)
      reinterpret_cast<Part*>(sums.data())[i] = sum;
    else
      for (int c = 0; c < columns; ++c) sums(i, c) = sum.value[c];
  }

  /// Where share s begins: at a tile, if there are enough for all.
  KOKKOS_FUNCTION std::int64_t cut(std::int64_t s, std::int64_t shares) const {
    const std::int64_t unit = n < shares * rows ? 1 : rows;
    return Kokkos::min(n, (n + unit - 1) / unit * s / shares * unit);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    Tile tile;
    tile.tail = Scratch<Part>(team.team_scratch(0), threads);
    tile.carry = Scratch<Part>(team.team_scratch(0), 2 * parts);
    if constexpr (staged) {
      tile.group_ = Scratch<Group>(team.team_scratch(0), places + 2);
      tile.value_ = Scratch<T>(team.team_scratch(0), columns * places);
    }
    const int me = team.team_rank(), k = me / parts, part = me % parts;
    const std::int64_t s = team.league_rank(), shares = team.league_size();
    const std::int64_t begin = cut(s, shares), end = cut(s + 1, shares);

    if (me < parts) tile.carry(me) = {};
    int before = 0;  // which of the carries is brought along
    for (std::int64_t r0 = begin; r0 < end; r0 += rows, before = 1 - before) {
      tile.r0 = r0;
      tile.rows = static_cast<int>(Kokkos::min<std::int64_t>(rows, end - r0));
      if constexpr (staged) stage(me, tile);
      team.team_barrier();
      const bool cleared = clear_together(team, tile);
      const Part head = walk(k, part, cleared, tile);
      team.team_barrier();
      const Part& carry = tile.carry(before * parts + part);
      finish(k, part, head, carry, tile);
      if (k == 0) tile.carry((1 - before) * parts + part) = carried(part, carry, tile);
      team.team_barrier();
    }
    if (me > 0) return;
    // A share without rows passes on that the group goes on.
    work.open(s) = end > 0 && end < n && table.key(end) == table.key(end - 1);
    work.key(s) = end > 0 ? table.key(end - 1) : 0;
    for (int c = 0; c < columns; ++c)
      work.carry(s, c) = tile.carry(before * parts + c / together).value[c % together];
  }

  /// Brings a tile into scratch memory, its keys with one more on each side.
  KOKKOS_FUNCTION void stage(int me, const Tile& tile) const {
    if (tile.rows == rows) {  // a fixed number of loads for each thread, all in flight together
      constexpr int each = rows / threads;
      std::int64_t k[each];
      T x[columns][each];
      const std::int64_t first = tile.r0 + me;
      for (int u = 0; u < each; ++u) k[u] = table.key(first + u * threads);
      for (int c = 0; c < columns; ++c)
        for (int u = 0; u < each; ++u) x[c][u] = table.value[c](first + u * threads);
      for (int u = 0; u < each; ++u)
        tile.group_(place(me + u * threads) + 1) = static_cast<Group>(k[u] - first_key);
      for (int c = 0; c < columns; ++c)
        for (int u = 0; u < each; ++u) tile.value_(c * places + place(me + u * threads)) = x[c][u];
    } else {
      for (int r = me; r < tile.rows; r += threads) {
        tile.group_(place(r) + 1) = static_cast<Group>(table.key(tile.r0 + r) - first_key);
        for (int c = 0; c < columns; ++c)
          tile.value_(c * places + place(r)) = table.value[c](tile.r0 + r);
      }
    }
    if (me > 0) return;
    tile.group_(0) = static_cast<Group>(group_of(tile.r0 - 1));
    tile.group_(place(tile.rows) + 1) = static_cast<Group>(group_of(tile.r0 + tile.rows));
  }

  /// Where groups are many for the tile's rows, the team writes zeros for those that end in it,
  /// in whole lines: a row of floats is half a sector, and would be read before it is written. A
  /// CPU always does.
  KOKKOS_FUNCTION bool clear_together(const Member& team, const Tile& tile) const {
    constexpr int many = !staged ? 0 : parts == 1 ? rows / 2 : 2 * rows;
    const std::int64_t first = group(tile, 0), end = group(tile, tile.rows);
    if (end - first <= many) return false;
    for (std::int64_t i = first * parts + team.team_rank(); i < end * parts; i += threads)
      store(i, {});
    team.team_barrier();
    return true;
  }

  /// Adds up the rows of run k, and writes the sums of the groups that begin and end in it, and 0
  /// for groups without rows, unless the team did. Returns the sum of the group that it ends
  /// without having begun it.
  KOKKOS_FUNCTION Part walk(int k, int part, bool cleared, const Tile& tile) const {
    const int from = k * run, to = Kokkos::min(from + run, tile.rows);
    Part sum{}, head{};
    if (from < to) {
      Group now = group(tile, from);
      bool began_here = group(tile, from - 1) != now;
      if (tile.r0 + from == 0) clear(0, now, part);
      const T* value[together];
      for (int c = 0; c < together; ++c) value[c] = column(tile, part * together + c);
      for (int r = from; r < to; ++r) {
        for (int c = 0; c < together; ++c) sum.value[c] += value[c][place(r)];
        const Group next = group(tile, r + 1);
        const bool ends = next != now;
        if (!staged && !ends) continue;  // what a CPU predicts; a warp goes on together
        if (ends && began_here) store(std::int64_t{now} * parts + part, sum);
        if (staged && next > now + 1 && !cleared) [[unlikely]]
          clear(now + 1, next, part);
        for (int c = 0; c < together; ++c) {
          if (!began_here) head.value[c] = sum.value[c];
          if (ends) sum.value[c] = 0;
        }
        began_here |= ends;
        now = next;
      }
    }
    tile.tail(k * parts + part) = sum;
    return head;
  }

  /// Writes part of the sums of groups from .. to - 1, which have no rows.
  KOKKOS_FUNCTION void clear(std::int64_t from, std::int64_t to, int part) const {
    for (std::int64_t g = from; g < to; ++g) store(g * parts + part, {});
  }

  /// What the runs before run k, and the tiles before this one, left of the group of row k * run
  /// - 1.
  KOKKOS_FUNCTION Part left_before(int k, int part, Group group_before, const Part& carry,
                                   const Tile& tile) const {
    Part sum{};
    while (k > 0) {
      --k;
      add(sum, tile.tail(k * parts + part));
      if (group(tile, k * run - 1) != group_before) return sum;  // it began in this run
    }
    add(sum, carry);
    return sum;
  }
  KOKKOS_FUNCTION static void add(Part& sum, const Part& other) {
    for (int c = 0; c < together; ++c) sum.value[c] += other.value[c];
  }

  /// Completes the group that run k ends without having begun it.
  KOKKOS_FUNCTION void finish(int k, int part, const Part& head, const Part& carry,
                              const Tile& tile) const {
    const int from = k * run, to = Kokkos::min(from + run, tile.rows);
    if (from >= to) return;
    const Group before = group(tile, from - 1);
    if (group(tile, from) != before || group(tile, to) == before) return;
    Part sum = left_before(k, part, before, carry, tile);
    add(sum, head);
    store(std::int64_t{before} * parts + part, sum);
  }

  /// The sum so far of the group that goes on in the next tile, if one does.
  KOKKOS_FUNCTION Part carried(int part, const Part& carry, const Tile& tile) const {
    const Group latest = group(tile, tile.rows - 1);
    if (group(tile, tile.rows) != latest) return {};
    return left_before((tile.rows + run - 1) / run, part, latest, carry, tile);
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
  if (shares == 1) return;
  Kokkos::parallel_for(
      "parallax::group_sum::sorted_segments::join", Range<Space>(space, 0, shares * columns),
      KOKKOS_LAMBDA(std::int64_t i) {
        const std::int64_t s = i / columns, c = i % columns, key = work.key(s);
        // The first share that left a part of a group adds for all that did.
        if (!work.open(s) || (s > 0 && work.open(s - 1) && work.key(s - 1) == key)) return;
        const auto has_part = [&](std::int64_t t) {
          return t < shares && work.open(t) && work.key(t) == key;
        };
        // A long group's parts, many loads in flight together. Keys are sorted: if the last share
        // has a part, all before it have.
        constexpr int many = 16;
        T sum = 0;
        std::int64_t t = s;
        for (; has_part(t + many - 1); t += many)
          for (int u = 0; u < many; ++u) sum += work.carry(t + u, c);
        for (; has_part(t); ++t) sum += work.carry(t, c);
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
