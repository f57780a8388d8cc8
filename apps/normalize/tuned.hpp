// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// normalize at the memory's rate, and right for every vector but 0.
//
// Where the vector fits in a cache the second kernel reads it from there; where it does not the
// second goes backwards, because what was read last is what the cache still holds.
//
// f32 is squared and added in f64, where no f32 overflows or underflows. For f64
// `reduce_then_scale` keeps three sums, of the squares of x, of x / 2^600 and of x * 2^700, and
// picks at the end the one that neither overflowed nor lost its digits; `team_scratch_wide` keeps
// one, as lesson.hpp's kernels do, and has their limits. Both end with `scale`.
//
// What becomes of zeros, NaN and infinities is in lesson.hpp.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include "device/streaming.hpp"
#include "normalize/lesson.hpp"

namespace parallax::kernels::normalize {

/// Sums of squares at three scales: at least one is accurate whatever the numbers are.
struct Squares {
  double plain = 0, large = 0, small = 0;
};

/// x * first * second divides x by the norm; neither factor nor product leaves the range of f64 on
/// the way.
struct Factors {
  double first, second;
  /// The norm: 0 for a zero vector only; infinite where it is beyond f64.
  KOKKOS_FUNCTION double norm() const { return second == 0 ? 0 : 1 / first / second; }
};

KOKKOS_INLINE_FUNCTION Factors factors_of(const Squares& s) {
  if (s.plain > 1e300 || s.plain != s.plain) {
    // Without the other scales (large == 0) an infinite sum of squares is all that is known.
    return {1 / Kokkos::sqrt(s.large == 0 ? s.plain : s.large), 0x1p-600};
  }
  if (s.plain > 1e-290) return {1 / Kokkos::sqrt(s.plain), 1};
  if (s.small > 0) return {0x1p700, 1 / Kokkos::sqrt(s.small)};
  return {0, 0};
}

/// The squares of thread `t`'s part of block `b`, with separate sums for each lane of a pack; at
/// all three scales or only plain. f32 needs no scales: all of its squares are f64.
template <bool Scaled, class S, class T>
KOKKOS_FUNCTION Squares squares_of(const Stream<S, T>& v, std::int64_t b, int t) {
  double plain[S::lanes] = {}, large[S::lanes] = {}, small[S::lanes] = {};
  v.read(b, t, [&](const Pack<T, S::lanes>& pack) {
    for (int l = 0; l < S::lanes; ++l) {
      const double x = static_cast<double>(pack.value[l]);
      plain[l] += x * x;
      if constexpr (Scaled) {
        large[l] += (x * 0x1p-600) * (x * 0x1p-600);
        small[l] += (x * 0x1p700) * (x * 0x1p700);
      }
    }
  });
  Squares sum;
  for (int l = 0; l < S::lanes; ++l) {
    sum.plain += plain[l];
    sum.large += large[l];
    sum.small += small[l];
  }
  return sum;
}

/// The second half of both: `norm` from the squares, by one thread, then out = v / norm
/// from the last element to the first. A GPU thread moves one pack, a CPU thread a run of elements
/// in its cache.
template <class Space, class Array, class Sums, class Pair, class Norm>
void scale(const Space& space, const Array& v, const Array& out, const Sums& squares,
           const Pair& factors, const Norm& norm) {
  using T = typename Array::value_type;
  Kokkos::parallel_for(
      "parallax::normalize::norm", Range<Space>(space, 0, 1), KOKKOS_LAMBDA(std::int64_t) {
        factors() = factors_of(squares());
        norm() = static_cast<T>(factors().norm());
      });
  constexpr int chunk = is_host_space<Space> ? 8192 : 16 / sizeof(T);
  using pack = Pack<T, 16 / sizeof(T)>;
  const T* from = v.data();
  T* to = out.data();
  const bool aligned =
      (reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to)) %
          sizeof(pack) ==
      0;
  const std::int64_t n = static_cast<std::int64_t>(v.extent(0)), chunks = (n + chunk - 1) / chunk;
  Kokkos::parallel_for(
      "parallax::normalize::scale", Range<Space>(space, 0, chunks), KOKKOS_LAMBDA(std::int64_t i) {
        const Factors f = factors();
        const auto scaled = [&](T x) {
          return static_cast<T>(static_cast<double>(x) * f.first * f.second);
        };
        const std::int64_t begin = (chunks - 1 - i) * chunk,
                           end = begin + chunk < n ? begin + chunk : n;
        if (!is_host_space<Space> && aligned && end - begin == chunk) {
          pack x = *reinterpret_cast<const pack*>(from + begin);
          for (T& element : x.value) element = scaled(element);
          *reinterpret_cast<pack*>(to + begin) = x;
        } else {
          for (std::int64_t j = begin; j < end; ++j) to[j] = scaled(from[j]);
        }
      });
}

/// The first half of `reduce_then_scale`: each team joins its threads' sums by the library's
/// team_reduce, and adds them to the result, one atomic addition for each team and scale.
template <class Space, class Array, class Sums>
void reduce(const Space& space, const Array& v, const Sums& squares) {
  using T = typename Array::value_type;
  using S = Streaming<Space, T>;
  using Policy = Kokkos::TeamPolicy<Space>;
  constexpr bool scaled = std::is_same_v<T, double>;
  const Stream<S, T> stream(v.data(), static_cast<std::int64_t>(v.extent(0)));
  Kokkos::deep_copy(space, squares, Squares{});
  Kokkos::parallel_for(
      "parallax::normalize::reduce", Policy(space, stream.blocks(), S::team_size),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        Squares sum = squares_of<scaled>(stream, team.league_rank(), team.team_rank());
        const auto add = [&](double& part, double& whole) {
          team.team_reduce(Kokkos::Sum<double>(part));
          if (team.team_rank() == 0) Kokkos::atomic_add(&whole, part);
        };
        add(sum.plain, squares().plain);
        if (scaled) {
          add(sum.large, squares().large);
          add(sum.small, squares().small);
        }
      });
}

/// The first half of `team_scratch_wide`: lesson.hpp's, with packs of elements for each thread.
template <class Space, class Array, class Sums>
void team_sum_wide(const Space& space, const Array& v, const Sums& squares) {
  using T = typename Array::value_type;
  using S = Streaming<Space, T>;
  using Policy = Kokkos::TeamPolicy<Space>;
  using Scratch =
      Kokkos::View<double*, typename Space::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  const Stream<S, T> stream(v.data(), static_cast<std::int64_t>(v.extent(0)));
  Kokkos::deep_copy(space, squares, Squares{});
  Kokkos::parallel_for(
      "parallax::normalize::team_sum_wide",
      Policy(space, stream.blocks(), S::team_size)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(S::team_size))),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Scratch partial(team.team_scratch(0), S::team_size);
        const int me = team.team_rank();
        partial(me) = squares_of<false>(stream, team.league_rank(), me).plain;
        const double total = add_in_scratch(team, partial);
        if (me == 0) Kokkos::atomic_add(&squares().plain, total);
      });
}

}  // namespace parallax::kernels::normalize
