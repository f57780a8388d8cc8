// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// memory_kinds: out[i] = sum over k of weights[k] in[i + k], a convolution with a short filter
// whose weights live in each kind of memory.
//
// The array passes through memory once, 2 n sizeof(T) bytes; each weight is read n times. The
// variants differ in where the weights live, and in nothing else: all add in the same order.
//
//   kind            in Kokkos                        CUDA, HIP              CPU
//   global          View                             device memory, cached  memory, cached
//   random_access   View, RandomAccess trait         read-only cache        the same as global
//   team_scratch    team_scratch(0)                  shared memory, LDS     a buffer in the cache
//   constant        by value in the functor          constant memory        the functor, cached
//   local           an array of the thread's own     local memory           the stack, cached
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace parallax::kernels {

/// The longest filter that `constant` and `local` have room for.
inline constexpr int most_taps = 256;

/// Weights that travel with the kernel, as its arguments do.
template <class T>
struct Filter {
  T weight[most_taps];
  KOKKOS_FUNCTION T operator()(int k) const { return weight[k]; }
};

/// Element i of the convolution. `weights(k)` is any kind of memory.
template <class In, class Weights, class Out>
KOKKOS_FUNCTION void convolve_element(const In& in, const Weights& weights, int taps,
                                      const Out& out, std::int64_t i) {
  typename Out::non_const_value_type sum = 0;
  for (int k = 0; k < taps; ++k) sum += weights(k) * in(i + k);
  out(i) = sum;
}

/// Weights in `weights`: a View, a View of const elements with the trait RandomAccess, or a Filter.
template <class In, class Weights, class Out>
struct Convolve {
  In in;
  Weights weights;
  int taps;
  Out out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    convolve_element(in, weights, taps, out, i);
  }
};

/// Each thread copies the weights into its own array. It is too large for registers and is
/// indexed by a variable: on a GPU "local" memory is device memory with another address for each
/// thread, and it passes through the caches once per thread.
template <class In, class Weights, class Out>
struct ConvolveLocal {
  In in;
  Weights weights;
  int taps;
  Out out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Filter<typename Out::non_const_value_type> mine;
    for (int k = 0; k < taps; ++k) mine.weight[k] = weights(k);
    convolve_element(in, mine, taps, out, i);
  }
};

/// Each team copies the weights into its scratch memory once, waits until all are there, and
/// computes a block of elements with them.
template <class Space, class In, class Weights, class Out>
struct ConvolveTeamScratch {
  using Scratch = Kokkos::View<typename Out::non_const_value_type*,
                               typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr std::int64_t block = 1024;
  In in;
  Weights weights;
  int taps;
  Out out;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Scratch shared(team.team_scratch(0), taps);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, taps),
                         [&](int k) { shared(k) = weights(k); });
    team.team_barrier();
    const std::int64_t n = out.extent(0), begin = block * team.league_rank();
    const std::int64_t end = begin + block < n ? begin + block : n;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, end),
                         [&](std::int64_t i) { convolve_element(in, shared, taps, out, i); });
  }
};

/// One index for each element of the result.
template <class Space, class Out>
auto convolution_range(const Space& space, const Out& out) {
  return Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
      space, 0, static_cast<std::int64_t>(out.extent(0)));
}

template <class Space, class In, class Weights, class Out>
void memory_kinds_global(const Space& space, const In& in, const Weights& weights, int taps,
                         const Out& out) {
  Kokkos::parallel_for("parallax::memory_kinds::global", convolution_range(space, out),
                       Convolve<In, Weights, Out>{in, weights, taps, out});
}

/// The trait promises that no kernel writes: a GPU may read by its read-only path.
template <class Space, class In, class Weights, class Out>
void memory_kinds_random_access(const Space& space, const In& in, const Weights& weights, int taps,
                                const Out& out) {
  using ReadOnly = Kokkos::View<typename Weights::const_data_type, typename Weights::device_type,
                                Kokkos::MemoryTraits<Kokkos::RandomAccess>>;
  Kokkos::parallel_for("parallax::memory_kinds::random_access", convolution_range(space, out),
                       Convolve<In, ReadOnly, Out>{in, weights, taps, out});
}

/// The functor, of 1 or 2 KiB, gets to the GPU as the kernel's argument (Kokkos 5 with nvcc) or
/// through a buffer in constant memory (Kokkos 4 and HIP, for functors from 512 bytes up). A GPU
/// reads both through the constant cache, which serves one address to all threads of a warp at
/// once.
template <class Space, class In, class T, class Out>
void memory_kinds_constant(const Space& space, const In& in, const Filter<T>& filter, int taps,
                           const Out& out) {
  Kokkos::parallel_for("parallax::memory_kinds::constant", convolution_range(space, out),
                       Convolve<In, Filter<T>, Out>{in, filter, taps, out});
}

template <class Space, class In, class Weights, class Out>
void memory_kinds_local(const Space& space, const In& in, const Weights& weights, int taps,
                        const Out& out) {
  Kokkos::parallel_for("parallax::memory_kinds::local", convolution_range(space, out),
                       ConvolveLocal<In, Weights, Out>{in, weights, taps, out});
}

template <class Space, class In, class Weights, class Out>
void memory_kinds_team_scratch(const Space& space, int team_size, const In& in,
                               const Weights& weights, int taps, const Out& out) {
  using Kernel = ConvolveTeamScratch<Space, In, Weights, Out>;
  const auto teams = static_cast<int>((out.extent(0) + Kernel::block - 1) / Kernel::block);
  const auto bytes = Kernel::Scratch::shmem_size(static_cast<std::size_t>(taps));
  Kokkos::parallel_for("parallax::memory_kinds::team_scratch",
                       Kokkos::TeamPolicy<Space>(space, teams, team_size)
                           .set_scratch_size(0, Kokkos::PerTeam(bytes)),
                       Kernel{in, weights, taps, out});
}

}  // namespace parallax::kernels
