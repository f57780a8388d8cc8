// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// group_sum: sums of four columns by key, what a table library calls group-by.
//
// Every row adds to its group's sum, and threads contend for it (`atomic`). With sorted keys one
// thread (`group_per_thread`) or team (`group_per_team`) adds up a whole group, and the largest one
// decides the time. Or teams have equal blocks of rows and sums in scratch (`team_scratch`).
// Keys have 64 bits: `first_key` .. `first_key + groups - 1`; one without rows has sums 0. Keys and
// columns are read once, groups * 4 sums written; `atomic` is bound by its additions.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace parallax::kernels::group_sum {

inline constexpr int columns = 4;

/// Indices of 64 bits: Kokkos's own choice has 32 on a GPU.
template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// A column of keys and four of values.
template <class Space, class T>
struct Table {
  Kokkos::View<std::int64_t*, typename Space::memory_space> key;
  Kokkos::View<T*, typename Space::memory_space> value[columns];
};

/// sums(g, c) is the sum of column c over the rows whose key is first_key + g.
template <class Space, class T>
using Sums = Kokkos::View<T* [columns], Kokkos::LayoutRight, typename Space::memory_space>;

// begin: atomic
template <class Space, class T>
struct Atomic {
  Table<Space, T> table;
  std::int64_t first_key;
  Sums<Space, T> sums;
  KOKKOS_FUNCTION void operator()(std::int64_t r) const {
    const std::int64_t group = table.key(r) - first_key;
    for (int c = 0; c < columns; ++c) Kokkos::atomic_add(&sums(group, c), table.value[c](r));
  }
};
// end: atomic

/// For keys in any order. The additions' order, and so the last digits, differs from run to run.
template <class Space, class T>
void atomic(const Space& space, const Table<Space, T>& table, std::int64_t first_key,
            const Sums<Space, T>& sums) {
  Kokkos::deep_copy(space, sums, T(0));
  Kokkos::parallel_for("parallax::group_sum::atomic", Range<Space>(space, 0, table.key.extent(0)),
                       Atomic<Space, T>{table, first_key, sums});
}

template <class Space, class T>
struct GroupPerThread {
  Table<Space, T> table;
  std::int64_t first_key;
  Sums<Space, T> sums;
  KOKKOS_FUNCTION void operator()(std::int64_t r) const {
    const std::int64_t n = table.key.extent(0), key = table.key(r);
    if (r > 0 && table.key(r - 1) == key) return;  // another thread has this group
    T sum[columns] = {};
    for (; r < n && table.key(r) == key; ++r)
      for (int c = 0; c < columns; ++c) sum[c] += table.value[c](r);
    for (int c = 0; c < columns; ++c) sums(key - first_key, c) = sum[c];
  }
};

/// For sorted keys: the thread of a group's first row adds up the group.
template <class Space, class T>
void group_per_thread(const Space& space, const Table<Space, T>& table, std::int64_t first_key,
                      const Sums<Space, T>& sums) {
  Kokkos::deep_copy(space, sums, T(0));  // for keys that have no rows
  Kokkos::parallel_for("parallax::group_sum::group_per_thread",
                       Range<Space>(space, 0, table.key.extent(0)),
                       GroupPerThread<Space, T>{table, first_key, sums});
}

/// The first row whose key is first_key + g or larger, by bisection.
template <class Keys>
KOKKOS_FUNCTION std::int64_t first_row(const Keys& key, std::int64_t first_key, std::int64_t g) {
  std::int64_t low = 0, high = key.extent(0);
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    const bool before = key(middle) - first_key < g;
    (before ? low : high) = before ? middle + 1 : middle;
  }
  return low;
}

/// For sorted keys: a team for each group, good for groups of many rows.
template <class Space, class T>
void group_per_team(const Space& space, int team_size, const Table<Space, T>& table,
                    std::int64_t first_key, const Sums<Space, T>& sums) {
  using Policy = Kokkos::TeamPolicy<Space>;
  Kokkos::parallel_for(
      "parallax::group_sum::group_per_team",
      Policy(space, static_cast<int>(sums.extent(0)), team_size),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const std::int64_t g = team.league_rank();
        const auto rows = Kokkos::TeamThreadRange(team, first_row(table.key, first_key, g),
                                                  first_row(table.key, first_key, g + 1));
        for (int c = 0; c < columns; ++c) {
          T sum = 0;
          Kokkos::parallel_reduce(
              rows, [&](std::int64_t r, T& t) { t += table.value[c](r); }, sum);
          Kokkos::single(Kokkos::PerTeam(team), [&] { sums(g, c) = sum; });
        }
      });
}

/// As `atomic`, but a team adds its block of rows to sums in scratch, and adds these to the global
/// sums at the end, once for each group. Scratch has room for `places` groups, from the first row's
/// on. Rows of other groups, most rows of a shuffled table, add as in `atomic`.
template <class Space, class T>
void team_scratch(const Space& space, int team_size, const Table<Space, T>& table,
                  std::int64_t first_key, const Sums<Space, T>& sums) {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Scratch = Kokkos::View<T*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  constexpr std::int64_t block = 1024, places = 256;
  const std::int64_t n = table.key.extent(0), teams = (n + block - 1) / block;
  Kokkos::deep_copy(space, sums, T(0));
  Kokkos::parallel_for(
      "parallax::group_sum::team_scratch",
      Policy(space, static_cast<int>(teams), team_size)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(places * columns))),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Scratch mine(team.team_scratch(0), places * columns);
        const std::int64_t begin = team.league_rank() * block, base = table.key(begin) - first_key;
        const auto all = Kokkos::TeamThreadRange(team, places * columns);
        Kokkos::parallel_for(all, [&](std::int64_t i) { mine(i) = 0; });
        team.team_barrier();  // no thread adds before all is cleared
        const auto rows = Kokkos::TeamThreadRange(team, begin, Kokkos::min(begin + block, n));
        Kokkos::parallel_for(rows, [&](std::int64_t r) {
          const std::int64_t group = table.key(r) - first_key, g = group - base;
          for (int c = 0; c < columns; ++c)
            if (g >= 0 && g < places)
              Kokkos::atomic_add(&mine(g * columns + c), table.value[c](r));
            else
              Kokkos::atomic_add(&sums(group, c), table.value[c](r));
        });
        team.team_barrier();  // no thread passes on before all is added
        Kokkos::parallel_for(all, [&](std::int64_t i) {
          if (mine(i) != 0) Kokkos::atomic_add(&sums(base + i / columns, i % columns), mine(i));
        });
      });
}

}  // namespace parallax::kernels::group_sum
