// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// vector_add: c[i] = a[i] + b[i].
//
// The course's first kernel. It does one addition for every 12 bytes (float) or 24 bytes (double)
// that it moves, so memory bandwidth alone decides how long it takes: 3 n sizeof(T) bytes over the
// bandwidth of a copy is the floor, on a CPU as on a GPU. What is left to gain is keeping the
// memory busy: a thread that loads 4 bytes and waits leaves it idle, one that has several 16-byte
// loads in flight does not.
//
// All three variants add in the same order, one rounding for each element: results are equal, bit
// by bit.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/tuning.hpp"

namespace parallax::kernels {

/// One index for every element: the form to write first. `a`, `b` and `c` are rank-1 views of the
/// same element type and extent, in memory that `Space` can reach.
template <class Space, class A, class B, class C>
void vector_add_range(const Space& space, const A& a, const B& b, const C& c) {
  static_assert(C::rank() == 1, "vector_add takes rank-1 views");
  const auto n = static_cast<std::int64_t>(c.extent(0));
  Kokkos::parallel_for(
      "parallax::vector_add::range",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, n),
      KOKKOS_LAMBDA(std::int64_t i) { c(i) = a(i) + b(i); });
}

/// A league of teams, each adding one block of consecutive elements: what a CUDA or Numba kernel
/// spells with block and thread indices. The last team finds fewer elements than the others, and
/// its bound says so: no thread writes beyond the end.
template <class Space, class A, class B, class C>
void vector_add_team(const Space& space, const A& a, const B& b, const C& c) {
  constexpr int team_size = is_host_space<Space> ? 1 : 256;
  constexpr std::int64_t block = is_host_space<Space> ? 16384 : 1024;  // elements a team
  using Policy = Kokkos::TeamPolicy<Space>;
  const auto n = static_cast<std::int64_t>(c.extent(0));
  const auto league = static_cast<int>((n + block - 1) / block);
  Kokkos::parallel_for(
      "parallax::vector_add::team", Policy(space, league, team_size),
      KOKKOS_LAMBDA(const typename Policy::member_type& member) {
        const std::int64_t begin = block * member.league_rank();
        const std::int64_t end = begin + block < n ? begin + block : n;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, begin, end),
                             [&](std::int64_t i) { c(i) = a(i) + b(i); });
      });
}

/// `Bytes` bytes of consecutive elements, aligned so that the compiler moves them in one
/// instruction.
template <class T, int Bytes>
struct alignas(Bytes) Pack {
  static constexpr int size = Bytes / static_cast<int>(sizeof(T));
  T element[size];
};

/// The body of `vector_add_wide` with its three numbers free, for tuning. Pack k of index i lies
/// `Interleave` packs beyond pack k-1, and index i+1 starts one pack beyond index i: neighbouring
/// threads of a warp touch neighbouring packs in every load (Interleave is the warp's width or a
/// multiple), and a host thread, with Interleave 1, walks through memory.
template <int Bytes, int InFlight, int Interleave, class Space, class A, class B, class C>
void vector_add_packs(const Space& space, const A& a, const B& b, const C& c) {
  using T = typename C::non_const_value_type;
  using P = Pack<T, Bytes>;
  constexpr std::int64_t tile = std::int64_t{P::size} * InFlight * Interleave;
  const auto n = static_cast<std::int64_t>(c.extent(0));
  const std::int64_t tiles = n / tile;
  // Whole tiles first; then one index for each element of the tail, so that one launch does it all.
  const std::int64_t wide = tiles * Interleave;
  const std::int64_t indices = wide + (n - tiles * tile);
  const T *a_data = a.data(), *b_data = b.data();
  T* c_data = c.data();
  Kokkos::parallel_for(
      "parallax::vector_add::wide",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, indices),
      KOKKOS_LAMBDA(std::int64_t i) {
        if (i < wide) {
          const std::int64_t first = (i / Interleave) * (InFlight * Interleave) + i % Interleave;
          const P* x = reinterpret_cast<const P*>(a_data) + first;
          const P* y = reinterpret_cast<const P*>(b_data) + first;
          P* z = reinterpret_cast<P*>(c_data) + first;
          // Every load comes before the first store: a store might change what a later load reads,
          // as far as the compiler knows, so it would not move the loads up by itself.
          P p[InFlight], q[InFlight];
          for (int k = 0; k < InFlight; ++k) p[k] = x[k * Interleave];
          for (int k = 0; k < InFlight; ++k) q[k] = y[k * Interleave];
          for (int k = 0; k < InFlight; ++k) {
            for (int e = 0; e < P::size; ++e) p[k].element[e] += q[k].element[e];
            z[k * Interleave] = p[k];
          }
        } else {
          const std::int64_t e = tiles * tile + (i - wide);
          c_data[e] = a_data[e] + b_data[e];
        }
      });
}

/// Wide loads, several in flight for each thread. Views that are strided or not aligned to a pack
/// (a subview from an odd element) take the `range` form.
template <class Space, class A, class B, class C>
void vector_add_wide(const Space& space, const A& a, const B& b, const C& c) {
  static_assert(std::is_same_v<typename A::non_const_value_type, typename C::value_type> &&
                    std::is_same_v<typename B::non_const_value_type, typename C::value_type>,
                "vector_add_wide needs one element type for all three views");
  constexpr int bytes = is_host_space<Space> ? 64 : 16;
  constexpr int in_flight = is_host_space<Space> ? 4 : 1;
  constexpr int interleave = is_host_space<Space> ? 1 : 32;
  const auto fits = [](const auto& view) {
    return view.span_is_contiguous() && reinterpret_cast<std::uintptr_t>(view.data()) % bytes == 0;
  };
  if (fits(a) && fits(b) && fits(c)) {
    vector_add_packs<bytes, in_flight, interleave>(space, a, b, c);
  } else {
    vector_add_range(space, a, b, c);
  }
}

}  // namespace parallax::kernels
