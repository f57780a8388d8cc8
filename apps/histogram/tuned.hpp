// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// histogram: how many of n masses fall into each of `bins` equal bins of [low, high).
//
// Many inputs share few outputs, so threads collide: two that read a bin, add one and write it back
// lose a count. The course's answers are a private copy for each thread (`private_rows`),
// indivisible increments (`global_atomic`), and both at once: copies shared by a team, close to its
// cores (`team_scratch`). Counts are integers, so that all variants agree exactly, and a bin that
// everybody wants (a peak, or one bin alone) must not be slower than the rest.
//
// Work: each value is read once; nothing else counts. The memory's read rate is the ceiling.
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_ScatterView.hpp>
#include <algorithm>
#include <cstdint>

#include "device/pack.hpp"
#include "device/tuning.hpp"

namespace parallax::kernels::histogram {

/// Which slot a value counts in: its bin, or one of two slots behind the bins, so that no value
/// needs a branch. The arithmetic is the values' own: a value within rounding of an edge may count
/// on either side of it, but on the same side everywhere (a difference and a product leave nothing
/// to contract).
template <class T>
struct Binning {
  T low, high, scale;  ///< `scale` is bins / (high - low)
  int bins;
  bool clamp;  ///< true: values outside count in the first or last bin; false: in slot `outside()`

  Binning(double from, double to, int n, bool clamp_outside)
      : low(static_cast<T>(from)),
        high(static_cast<T>(to)),
        scale(static_cast<T>(n / (to - from))),
        bins(n),
        clamp(clamp_outside) {}

  KOKKOS_FUNCTION int outside() const { return bins; }
  KOKKOS_FUNCTION int nan() const { return bins + 1; }
  KOKKOS_FUNCTION int slots() const { return bins + 2; }

  KOKKOS_FUNCTION int slot(T x) const {
    const T position = (x - low) * scale, top = static_cast<T>(bins - 1);
    // Limited before the conversion: an integer cannot hold what lies far outside, nor NaN (which
    // becomes 0 here).
    T limited = position > T(0) ? position : T(0);
    limited = limited < top ? limited : top;
    const int bin = static_cast<int>(limited);
    const int in_range = clamp || (x >= low && x < high) ? bin : outside();
    return x == x ? in_range : nan();
  }
};

/// How `team_scratch` is cut. Threads that run in step go to different copies of the histogram, as
/// many as fit, so that an increment seldom waits for another of the same bin. On a CPU, where a
/// thread is alone, the elements that it counts one after the other do, so that an increment need
/// not wait for the one before it.
template <class Space>
struct Tuning {
  static constexpr int team_size = is_host_space<Space> ? 1 : 1024;
  static constexpr int lane_copies = is_host_space<Space> ? 8 : 1;
  static constexpr int thread_copies = is_host_space<Space> ? 1 : 32;
  static constexpr int scratch_bytes = is_host_space<Space> ? 24 * 1024 : 39 * 1024;
  static constexpr int pack_bytes = is_host_space<Space> ? 64 : 16;  ///< of one load
  static constexpr int loads = is_host_space<Space> ? 4 : 2;
};

/// A histogram for each of the machine's threads.
template <class Space>
using Rows = Kokkos::View<std::uint32_t**, typename Space::memory_space>;

/// How many rows `private_rows` uses: at most 64 Mi counts in all, where a thread of a big GPU with
/// 4096 bins would otherwise need gigabytes.
template <class Space>
std::int64_t private_row_count(const Space& space, int slots) {
  return std::clamp<std::int64_t>((std::int64_t{1} << 26) / slots, 1, space.concurrency());
}

/// As in the course: every thread has a histogram of its own, a row of a table, and the rows are
/// added up at the end. No thread waits for another, but the rows must be cleared and read again:
/// `rows * bins` counts of traffic.
template <class Space, class X, class Counts>
void private_rows(const Space& space, const X& x,
                  const Binning<typename X::non_const_value_type>& binning, const Rows<Space>& row,
                  const Counts& counts) {
  const std::int64_t n = x.extent(0), rows = row.extent(0);
  const int slots = binning.slots();
  Kokkos::deep_copy(space, row, 0U);
  Kokkos::parallel_for(
      "parallax::histogram::private_rows",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, rows),
      KOKKOS_LAMBDA(std::int64_t r) {
        // A CPU's thread reads one piece of the array; on a GPU neighbours read neighbours.
        constexpr bool pieces = is_host_space<Space>;
        const std::int64_t last = pieces ? n * (r + 1) / rows : n, step = pieces ? 1 : rows;
        for (std::int64_t i = pieces ? n * r / rows : r; i < last; i += step)
          row(r, binning.slot(x(i)))++;
      });
  using Policy = Kokkos::TeamPolicy<Space>;
  Kokkos::parallel_for(
      "parallax::histogram::private_rows::sum", Policy(space, slots, Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const int s = team.league_rank();
        std::int64_t sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, rows),
            [&](std::int64_t r, std::int64_t& t) { t += row(r, s); }, sum);
        Kokkos::single(Kokkos::PerTeam(team), [&] { counts(s) = sum; });
      });
}

/// One histogram for all, incremented indivisibly in global memory. All in one bin means one at a
/// time.
template <class Space, class X, class Counts>
void global_atomic(const Space& space, const X& x,
                   const Binning<typename X::non_const_value_type>& binning, const Counts& counts) {
  Kokkos::deep_copy(space, counts, 0);
  Kokkos::parallel_for(
      "parallax::histogram::global_atomic",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, x.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i) { Kokkos::atomic_inc(&counts(binning.slot(x(i)))); });
}

/// The library's choice between copies and atomics for each backend: copies on host spaces, atomics
/// on devices.
template <class Space, class X, class Counts>
void scatter_view(const Space& space, const X& x,
                  const Binning<typename X::non_const_value_type>& binning, const Counts& counts) {
  Kokkos::deep_copy(space, counts, 0);
  using Scatter =
      Kokkos::Experimental::ScatterView<typename Counts::data_type, typename Counts::array_layout,
                                        Kokkos::Device<Space, typename Counts::memory_space>>;
  Scatter scatter(space, counts);
  Kokkos::parallel_for(
      "parallax::histogram::scatter_view",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, x.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i) {
        auto access = scatter.access();
        access(binning.slot(x(i))) += 1;
      });
  Counts total = counts;
  Kokkos::Experimental::contribute(space, total, scatter);
}

/// As many teams as the machine holds at once, each with a few copies of the histogram in scratch
/// memory: collisions stay inside a team, where an atomic costs little, and only `teams * bins`
/// increments reach global memory.
template <class Space, class Tune = Tuning<Space>, class X, class Counts>
void team_scratch(const Space& space, const X& x,
                  const Binning<typename X::non_const_value_type>& binning, const Counts& counts) {
  using T = typename X::non_const_value_type;
  constexpr int loads = Tune::loads, lanes = static_cast<int>(Tune::pack_bytes / sizeof(T));
  using Values = Pack<T, lanes>;
  using Policy = Kokkos::TeamPolicy<Space>;
  using Scratch = Kokkos::View<std::uint32_t*, typename Space::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const T* const data = x.data();
  // Up to the first place where a pack may start, values are read one by one.
  const std::int64_t n = x.extent(0),
                     past = reinterpret_cast<std::uintptr_t>(data) % sizeof(Values);
  const std::int64_t head =
      past == 0 ? 0 : std::min<std::int64_t>(n, (sizeof(Values) - past) / sizeof(T));
  const std::int64_t packs = (n - head) / lanes;
  const int slots = binning.slots(), wanted = Tune::lane_copies * Tune::thread_copies;
  const int stride = slots | 1;  // odd: the same bin of two copies lies in different memory banks
  int copies = 1;                // a power of two, as many as fit
  while (2 * copies <= wanted && 2 * copies * stride * 4 <= Tune::scratch_bytes) copies *= 2;
  const int teams = std::max(1, space.concurrency() / Tune::team_size);

  Kokkos::deep_copy(space, counts, 0);
  Kokkos::parallel_for(
      "parallax::histogram::team_scratch",
      Policy(space, teams, Tune::team_size)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(copies * stride))),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Scratch count(team.team_scratch(0), copies * stride);
        const int rank = team.team_rank(), size = team.team_size();
        for (int s = rank; s < copies * stride; s += size) count(s) = 0;
        team.team_barrier();

        constexpr int lane_copies = Tune::lane_copies;
        std::uint32_t* mine[lane_copies];
        for (int l = 0; l < lane_copies; ++l) mine[l] = &count((rank + l) % copies * stride);
        const auto increment = [&mine](int slot, int lane) {
          if constexpr (Tune::team_size == 1)
            ++mine[lane % lane_copies][slot];  // nobody else is here
          else
            Kokkos::atomic_inc(&mine[lane % lane_copies][slot]);
        };
        const auto bin = binning;  // a copy that stores to the counts cannot change
        const auto* pack = reinterpret_cast<const Values*>(data + head);
        const std::int64_t workers = std::int64_t{team.league_size()} * size;
        const std::int64_t w = std::int64_t{team.league_rank()} * size + rank;
        // A CPU's thread reads one piece of the array; on a GPU neighbours read neighbours.
        constexpr bool pieces = is_host_space<Space>;
        const std::int64_t last = pieces ? packs * (w + 1) / workers : packs;
        const std::int64_t step = pieces ? 1 : workers;
        std::int64_t p = pieces ? packs * w / workers : w;
        for (; p + (loads - 1) * step < last; p += loads * step) {
          Values values[loads];  // all asked for before the first is used
          int slot[loads][lanes];
          for (int u = 0; u < loads; ++u) values[u] = pack[p + u * step];
          for (int u = 0; u < loads; ++u)
            for (int l = 0; l < lanes; ++l) slot[u][l] = bin.slot(values[u].value[l]);
          for (int u = 0; u < loads; ++u)
            for (int l = 0; l < lanes; ++l) increment(slot[u][l], l);
        }
        for (; p < last; p += step)
          for (int l = 0; l < lanes; ++l) increment(bin.slot(pack[p].value[l]), l);
        if (w == 0) {  // what no pack covers: less than a pack at each end
          for (std::int64_t i = 0; i < head; ++i) increment(bin.slot(data[i]), 0);
          for (std::int64_t i = head + packs * lanes; i < n; ++i) increment(bin.slot(data[i]), 0);
        }
        team.team_barrier();
        for (int s = rank; s < slots; s += size) {
          std::int64_t sum = 0;
          for (int c = 0; c < copies; ++c) sum += count(c * stride + s);
          if (sum != 0) Kokkos::atomic_add(&counts(s), sum);
        }
      });
}

}  // namespace parallax::kernels::histogram
