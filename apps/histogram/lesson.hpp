// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// histogram: how many of n masses fall into each of `bins` equal bins of [low, high).
//
// Many inputs share few outputs, so threads collide: two that read a bin, add one and write it back
// lose a count. Three answers: one histogram whose increments are atomic (`global_atomic`); a
// histogram for each thread, added up at the end (`private_rows`); and both at once, a histogram
// for each team in its scratch memory, close to its cores (`team_scratch`). Counts are integers, so
// all variants agree exactly.
//
// Each value is read once: the read rate is the ceiling; of `global_atomic`, its additions.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

namespace parallax::kernels::histogram {

/// Indices of 64 bits: Kokkos's own choice has 32 on a GPU, and large arrays have more elements.
template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// Which slot a value counts in: its bin, or one of two slots behind the bins, so that no value
/// needs a branch. The arithmetic is the values' own: a value within rounding of an edge may count
/// on either side of it, but on the same side everywhere (a difference and a product leave nothing
/// to contract).
template <class T>
struct Binning {
  T low, high, scale;  ///< `scale` is bins / (high - low)
  int bins;
  bool clamp;  ///< true: values outside count in the first or last bin; false: in slot `bins`

  Binning(double from, double to, int n, bool clamp_outside)
      : low(static_cast<T>(from)),
        high(static_cast<T>(to)),
        scale(static_cast<T>(n / (to - from))),
        bins(n),
        clamp(clamp_outside) {}

  KOKKOS_FUNCTION int slots() const { return bins + 2; }

  KOKKOS_FUNCTION int slot(T x) const {
    const T position = (x - low) * scale, top = static_cast<T>(bins - 1);
    // Clamped before the conversion to int, which cannot hold a value far outside, nor NaN: NaN
    // becomes 0 here.
    T limited = position > T(0) ? position : T(0);
    limited = limited < top ? limited : top;
    const int bin = static_cast<int>(limited);
    const int in_range = clamp || (x >= low && x < high) ? bin : bins;
    return x == x ? in_range : bins + 1;
  }
};

template <class X, class Counts>
struct GlobalAtomic {
  X x;
  Binning<typename X::non_const_value_type> binning;
  Counts counts;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Kokkos::atomic_inc(&counts(binning.slot(x(i))));
  }
};

/// One histogram for all, in global memory. Increments of one bin wait for each other.
template <class Space, class X, class Counts>
void global_atomic(const Space& space, const X& x,
                   const Binning<typename X::non_const_value_type>& binning, const Counts& counts) {
  // student: begin global_atomic
  Kokkos::deep_copy(space, counts, 0);
  Kokkos::parallel_for("parallax::histogram::global_atomic", Range<Space>(space, 0, x.extent(0)),
                       GlobalAtomic<X, Counts>{x, binning, counts});
  // student: end global_atomic
}

/// A histogram for each of the machine's threads.
template <class Space>
using Rows = Kokkos::View<std::uint32_t**, typename Space::memory_space>;

/// How many rows `private_rows` needs: at most 64 Mi counts in all, where a row for each thread of
/// a big GPU with 4096 bins would take gigabytes, and at least a piece for each 2^31 values.
template <class Space>
std::int64_t private_row_count(const Space& space, int slots, int team_size, std::int64_t n) {
  const auto rows = std::min<std::int64_t>(space.concurrency(), (std::int64_t{1} << 26) / slots);
  return std::max({rows / team_size, n >> 31, std::int64_t{1}}) * team_size;
}

/// As in the course: each thread counts in its own row, and the rows are added up at the end. No
/// thread waits for another, but `rows * bins` counts must be cleared first and read again. A team
/// takes one piece of the array, and TeamThreadRange deals it out as the machine likes it:
/// neighbouring values to neighbouring threads of a GPU, a stretch to a CPU's thread.
template <class Space, class X, class Counts>
void private_rows(const Space& space, int team_size, const X& x,
                  const Binning<typename X::non_const_value_type>& binning, const Rows<Space>& row,
                  const Counts& counts) {
  using Policy = Kokkos::TeamPolicy<Space>;
  const std::int64_t n = x.extent(0), rows = row.extent(0), pieces = rows / team_size;
  Kokkos::deep_copy(space, row, 0U);
  Kokkos::parallel_for(
      "parallax::histogram::private_rows", Policy(space, static_cast<int>(pieces), team_size),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        // student: begin private_rows
        const std::int64_t piece = team.league_rank();
        const std::int64_t mine = piece * team.team_size() + team.team_rank();
        Kokkos::parallel_for(
            Kokkos::TeamThreadRange(team, n * piece / pieces, n * (piece + 1) / pieces),
            [&](std::int64_t i) { row(mine, binning.slot(x(i)))++; });
        // student: end private_rows
      });
  Kokkos::parallel_for(
      "parallax::histogram::private_rows::sum", Policy(space, binning.slots(), Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const int slot = team.league_rank();
        std::int64_t sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, rows),
            [&](std::int64_t r, std::int64_t& partial) { partial += row(r, slot); }, sum);
        Kokkos::single(Kokkos::PerTeam(team), [&] { counts(slot) = sum; });
      });
}

/// A team counts a block of values in scratch memory, where an atomic increment costs little, and
/// adds its counts to everybody's at the end. A block has many more values than there are bins.
// begin: team_scratch
template <class Space, class X, class Counts>
void team_scratch(const Space& space, int team_size, const X& x,
                  const Binning<typename X::non_const_value_type>& binning, const Counts& counts) {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Scratch =
      Kokkos::View<std::uint32_t*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  constexpr std::int64_t block = 16 * 1024;
  const std::int64_t n = x.extent(0);
  const int slots = binning.slots(), teams = static_cast<int>((n + block - 1) / block);
  Kokkos::deep_copy(space, counts, 0);
  Kokkos::parallel_for(
      "parallax::histogram::team_scratch",
      Policy(space, teams, team_size)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(slots))),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Scratch mine(team.team_scratch(0), slots);
        const std::int64_t begin = team.league_rank() * block;
        // student: begin team_scratch
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, slots), [&](int s) { mine(s) = 0; });
        team.team_barrier();  // no thread counts before all is cleared
        Kokkos::parallel_for(
            Kokkos::TeamThreadRange(team, begin, Kokkos::min(begin + block, n)),
            [&](std::int64_t i) { Kokkos::atomic_inc(&mine(binning.slot(x(i)))); });
        team.team_barrier();  // no thread adds before all is counted
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, slots), [&](int s) {
          if (mine(s) != 0) Kokkos::atomic_add(&counts(s), std::int64_t{mine(s)});
        });
        // student: end team_scratch
      });
}
// end: team_scratch

}  // namespace parallax::kernels::histogram
