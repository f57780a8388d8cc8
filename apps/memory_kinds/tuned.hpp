// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// memory_kinds: out[i] = sum over k of weights[k] in[i + k], a convolution with a short filter
// whose weights live in each kind of memory.
//
// The array passes through memory once, 2 n sizeof(T) bytes; each weight is read n times. So where
// the weights live is what the variants differ in, and nothing else: they add in one order.
//
//   kind            in Kokkos                        CUDA, HIP              CPU
//   global          View                             device memory, cached  memory, cached
//   random_access   View, RandomAccess trait         read-only cache        the same as global
//   team_scratch    team_scratch(0)                  shared memory, LDS     a buffer in the cache
//   constant        by value in the functor          constant memory        the functor, cached
//   local           an array of the thread's own     local memory           the stack, cached
//
// 2 taps flops an element: with 33 taps in float an H100 still has arithmetic to spare, a CPU does
// not, and vectorises over neighbouring elements.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "device/tuning.hpp"

namespace parallax::kernels {

/// The longest filter that `constant` and `local` have room for.
inline constexpr int most_taps = 256;

/// Weights that travel with the kernel, as its arguments do.
template <class T>
struct Filter {
  T weight[most_taps];
  KOKKOS_FUNCTION T operator()(int k) const { return weight[k]; }
};

/// Elements i..i+lanes-1 of the convolution, those of them that exist. Sums are independent, lane
/// by lane: a CPU keeps them in vector registers, a GPU thread has one. `weights(k)` is any kind of
/// memory.
template <int lanes, class In, class Out, class Weights>
KOKKOS_FUNCTION void convolve_block(const In& in, const Out& out, const Weights& weights, int taps,
                                    std::int64_t i) {
  using T = typename Out::non_const_value_type;
  const auto n = static_cast<std::int64_t>(out.extent(0));
  const T* x = in.data() + i;
  if (i + lanes <= n) {
    T sum[lanes] = {};
    for (int k = 0; k < taps; ++k) {
      const T w = weights(k);
      for (int l = 0; l < lanes; ++l) sum[l] += w * x[l + k];
    }
    for (int l = 0; l < lanes; ++l) out(i + l) = sum[l];
  } else {
    for (std::int64_t j = i; j < n; ++j) {
      T sum = 0;
      for (int k = 0; k < taps; ++k) sum += weights(k) * in(j + k);
      out(j) = sum;
    }
  }
}

/// How often `convolve_block` is called: all indices of the range that the variants below use.
template <int lanes, class Out>
std::int64_t convolution_blocks(const Out& out) {
  return (static_cast<std::int64_t>(out.extent(0)) + lanes - 1) / lanes;
}

/// One index per block, weights from `weights(k)`: for `global` (a View), `random_access` (a View
/// of const elements with that trait) and `constant` (a Filter, copied into the functor).
template <class Space, class In, class Weights, class Out>
void convolve(const char* label, const Space& space, const In& in, const Weights& weights, int taps,
              const Out& out) {
  constexpr int lanes = vector_lanes<Space, typename Out::non_const_value_type>;
  Kokkos::parallel_for(
      label,
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0,
                                                                  convolution_blocks<lanes>(out)),
      KOKKOS_LAMBDA(std::int64_t b) { convolve_block<lanes>(in, out, weights, taps, b * lanes); });
}

template <class Space, class In, class Weights, class Out>
void memory_kinds_global(const Space& space, const In& in, const Weights& weights, int taps,
                         const Out& out) {
  convolve("parallax::memory_kinds::global", space, in, weights, taps, out);
}

/// The trait promises that nobody writes: a GPU may read by its read-only path.
template <class Space, class In, class Weights, class Out>
void memory_kinds_random_access(const Space& space, const In& in, const Weights& weights, int taps,
                                const Out& out) {
  using T = typename Weights::non_const_value_type;
  const Kokkos::View<const T*, typename Weights::device_type,
                     Kokkos::MemoryTraits<Kokkos::RandomAccess>>
      read_only = weights;
  convolve("parallax::memory_kinds::random_access", space, in, read_only, taps, out);
}

/// On CUDA Kokkos passes a functor below 512 bytes as the kernel's argument and a larger one, like
/// this one of 1 or 2 KiB, through a buffer in constant memory. A GPU reads both through the
/// constant cache, which serves one address to all threads of a warp at once.
template <class Space, class In, class T, class Out>
void memory_kinds_constant(const Space& space, const In& in, const Filter<T>& filter, int taps,
                           const Out& out) {
  convolve("parallax::memory_kinds::constant", space, in, filter, taps, out);
}

/// Each thread copies the weights into an array of its own. It is too large for registers and is
/// indexed by a variable: on a GPU "local" memory is device memory with another address for each
/// thread, and it passes through the caches once per thread.
template <class Space, class In, class Weights, class Out>
void memory_kinds_local(const Space& space, const In& in, const Weights& weights, int taps,
                        const Out& out) {
  using T = typename Out::non_const_value_type;
  constexpr int lanes = vector_lanes<Space, T>;
  Kokkos::parallel_for(
      "parallax::memory_kinds::local",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0,
                                                                  convolution_blocks<lanes>(out)),
      KOKKOS_LAMBDA(std::int64_t b) {
        Filter<T> mine;
        for (int k = 0; k < taps; ++k) mine.weight[k] = weights(k);
        convolve_block<lanes>(in, out, mine, taps, b * lanes);
      });
}

/// Each team brings the weights into its scratch memory once, waits until all are there, and
/// computes many blocks with them.
template <class Space, class In, class Weights, class Out>
void memory_kinds_team_scratch(const Space& space, const In& in, const Weights& weights, int taps,
                               const Out& out) {
  using T = typename Out::non_const_value_type;
  using Policy = Kokkos::TeamPolicy<Space>;
  using Scratch = Kokkos::View<T*, typename Space::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  constexpr int lanes = vector_lanes<Space, T>;
  constexpr int team_size = is_host_space<Space> ? 1 : 256;
  constexpr std::int64_t share = is_host_space<Space> ? 256 : 1024;  // blocks of a team
  const std::int64_t blocks = convolution_blocks<lanes>(out);
  const auto policy =
      Policy(space, static_cast<int>((blocks + share - 1) / share), team_size)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(static_cast<size_t>(taps))));
  Kokkos::parallel_for(
      "parallax::memory_kinds::team_scratch", policy,
      KOKKOS_LAMBDA(const typename Policy::member_type& member) {
        const Scratch shared(member.team_scratch(0), taps);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, taps),
                             [&](int k) { shared(k) = weights(k); });
        member.team_barrier();
        const std::int64_t begin = share * member.league_rank();
        const std::int64_t end = begin + share < blocks ? begin + share : blocks;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, begin, end), [&](std::int64_t b) {
          convolve_block<lanes>(in, out, shared, taps, b * lanes);
        });
      });
}

}  // namespace parallax::kernels
