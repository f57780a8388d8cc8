// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// histogram, tuned: several copies of the histogram in a team's scratch memory, so that not even
// the threads of one team collide (`scratch_copies`): a bin that all threads want (a peak, or a
// single bin) must not be slower than the rest. Beside it what Kokkos has for the purpose,
// `scatter_view`.
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_ScatterView.hpp>
#include <algorithm>
#include <cstdint>

#include "device/pack.hpp"
#include "device/tuning.hpp"
#include "histogram/lesson.hpp"

namespace parallax::kernels::histogram {

/// How `scratch_copies` is cut. Threads that run in step go to different copies of the histogram,
/// all that fit, so that an increment seldom waits for another of the same bin. On a CPU, where a
/// team is one thread, the elements that it counts one after the other do, so that an increment
/// need not wait for the one before it.
template <class Space>
struct Tuning {
  static constexpr int team_size = is_host_space<Space> ? 1 : 1024;
  static constexpr int lane_copies = is_host_space<Space> ? 8 : 1;
  static constexpr int thread_copies = is_host_space<Space> ? 1 : 32;
  static constexpr int scratch_bytes = is_host_space<Space> ? 24 * 1024 : 39 * 1024;
  static constexpr int pack_bytes = is_host_space<Space> ? 64 : 16;  ///< of one load
  static constexpr int loads = is_host_space<Space> ? 4 : 2;
};

/// Teams of `scratch_copies`: all that the machine holds, and at least one for each 2^31 values,
/// which a count of 32 bits can hold.
template <class Tune, class Space>
int team_count(const Space& space, std::int64_t n) {
  const std::int64_t held = space.concurrency() / Tune::team_size;
  return static_cast<int>(std::max({held, n >> 31, std::int64_t{1}}));
}

template <class X, class Scatter>
struct ScatterAdd {
  X x;
  Binning<typename X::non_const_value_type> binning;
  Scatter scatter;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    auto access = scatter.access();
    access(binning.slot(x(i))) += 1;
  }
};

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
  Kokkos::parallel_for("parallax::histogram::scatter_view", Range<Space>(space, 0, x.extent(0)),
                       ScatterAdd<X, Scatter>{x, binning, scatter});
  Counts total = counts;
  Kokkos::Experimental::contribute(space, total, scatter);
}

/// All teams that the machine holds at once, each with a few copies of the histogram in scratch
/// memory: collisions stay inside a team, where an atomic costs little, and only `teams * bins`
/// increments reach global memory.
template <class Space, class Tune = Tuning<Space>, class X, class Counts>
void scratch_copies(const Space& space, const X& x,
                    const Binning<typename X::non_const_value_type>& binning,
                    const Counts& counts) {
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
  const int stride = slots | 1;  // odd: the same bin of two copies is in different memory banks
  int copies = 1;                // a power of two, all that fit
  while (2 * copies <= wanted && 2 * copies * stride * 4 <= Tune::scratch_bytes) copies *= 2;
  const int teams = team_count<Tune>(space, n);

  Kokkos::deep_copy(space, counts, 0);
  Kokkos::parallel_for(
      "parallax::histogram::scratch_copies",
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
            ++mine[lane % lane_copies][slot];  // there is no other thread
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
