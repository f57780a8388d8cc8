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
//   local           an array in each thread          local memory           the stack, cached
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace parallax::kernels::memory_kinds {

/// The longest filter that `constant` and `local` have room for.
inline constexpr int most_taps = 256;

/// Weights that travel with the kernel, as its arguments do.
template <class T>
struct Filter {
  T weight[most_taps];
  KOKKOS_FUNCTION T operator()(int k) const { return weight[k]; }
};

/// Element i of the convolution. `weights(k)` is any kind of memory.
// begin: global
template <class Array, class Weights>
KOKKOS_FUNCTION void convolve(const Array& in, const Weights& weights, int taps, const Array& out,
                              std::int64_t i) {
  // student: begin global
  typename Array::value_type sum = 0;
  for (int k = 0; k < taps; ++k) sum += weights(k) * in(i + k);
  out(i) = sum;
  // student: end global
}
// end: global

/// Weights in `weights`: a View, a View of const elements with the trait RandomAccess, or a Filter.
template <class Array, class Weights>
struct Element {
  Array in;
  Weights weights;
  int taps;
  Array out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { convolve(in, weights, taps, out, i); }
};

/// Indices of 64 bits: Kokkos's own choice has 32 on a GPU, and an array may have more elements
/// than that counts.
template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// One index for each element of the result.
template <class Space, class Array>
Range<Space> elements_of(const Space& space, const Array& out) {
  return Range<Space>(space, 0, static_cast<std::int64_t>(out.extent(0)));
}

template <class Space, class Array>
void global(const Space& space, const Array& in, const Array& weights, int taps, const Array& out) {
  Kokkos::parallel_for("parallax::memory_kinds::global", elements_of(space, out),
                       Element<Array, Array>{in, weights, taps, out});
}

/// The trait promises that no kernel writes: a GPU may read by its read-only path.
template <class Space, class Array>
void random_access(const Space& space, const Array& in, const Array& weights, int taps,
                   const Array& out) {
  using ReadOnly = Kokkos::View<typename Array::const_data_type, typename Array::device_type,
                                Kokkos::MemoryTraits<Kokkos::RandomAccess>>;
  Kokkos::parallel_for("parallax::memory_kinds::random_access", elements_of(space, out),
                       Element<Array, ReadOnly>{in, weights, taps, out});
}

/// The functor, of 1 or 2 KiB, gets to the GPU as the kernel's argument (Kokkos 5 with nvcc) or
/// through a buffer in constant memory (Kokkos 4 and HIP, for functors from 512 bytes up). A GPU
/// reads both through the constant cache, which serves one address to all threads of a warp at
/// once.
template <class Space, class Array>
void constant(const Space& space, const Array& in, const Filter<typename Array::value_type>& filter,
              int taps, const Array& out) {
  // student: begin constant
  Kokkos::parallel_for("parallax::memory_kinds::constant", elements_of(space, out),
                       Element<Array, Filter<typename Array::value_type>>{in, filter, taps, out});
  // student: end constant
}

/// Each thread copies the weights into its own array. It is too large for registers and is
/// indexed by a variable: on a GPU "local" memory is device memory with another address for each
/// thread, and it passes through the caches once per thread.
template <class Array>
struct LocalElement {
  Array in, weights;
  int taps;
  Array out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Filter<typename Array::value_type> mine;
    for (int k = 0; k < taps; ++k) mine.weight[k] = weights(k);
    convolve(in, mine, taps, out, i);
  }
};

template <class Space, class Array>
void local(const Space& space, const Array& in, const Array& weights, int taps, const Array& out) {
  Kokkos::parallel_for("parallax::memory_kinds::local", elements_of(space, out),
                       LocalElement<Array>{in, weights, taps, out});
}

/// Each team copies the weights into its scratch memory once, waits until all are there, and
/// computes a block of elements with them.
// begin: team_scratch
template <class Space, class Array>
void team_scratch(const Space& space, int team_size, const Array& in, const Array& weights,
                  int taps, const Array& out) {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Scratch = Kokkos::View<typename Array::value_type*, typename Space::scratch_memory_space,
                               Kokkos::MemoryUnmanaged>;
  constexpr std::int64_t block = 1024;
  const std::int64_t n = out.extent(0);
  const auto teams = static_cast<int>((n + block - 1) / block);
  const auto bytes = Scratch::shmem_size(static_cast<std::size_t>(taps));
  Kokkos::parallel_for(
      "parallax::memory_kinds::team_scratch",
      Policy(space, teams, team_size).set_scratch_size(0, Kokkos::PerTeam(bytes)),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Scratch shared(team.team_scratch(0), taps);
        // student: begin team_scratch
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, taps),
                             [&](int k) { shared(k) = weights(k); });
        team.team_barrier();
        const std::int64_t begin = block * team.league_rank();
        const std::int64_t end = begin + block < n ? begin + block : n;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, end),
                             [&](std::int64_t i) { convolve(in, shared, taps, out, i); });
        // student: end team_scratch
      });
}
// end: team_scratch

}  // namespace parallax::kernels::memory_kinds
