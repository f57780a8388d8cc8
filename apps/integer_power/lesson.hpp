// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// integer_power: y[i] = x[i]^n for a whole number n.
//
// a**2 is a call of pow in many languages, and pow is made for any exponent: a logarithm, a
// product and an exponential, with extra digits that keep the error within a few units in the last
// place. That is some hundred instructions where x * x is one. The memory moves the same
// 2 sizeof(T) bytes for both, and its bandwidth decides only where the arithmetic is done sooner.
//
// Squares are exact or rounded once, so products give them equal everywhere; pow's may differ from
// them in the last bits. Higher powers round at every product: x^n is good to about n units of the
// last place, where pow keeps to its few.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace parallax::kernels::integer_power {

/// The indices 0 to n - 1, of 64 bits each: Kokkos's own choice has 32 on a GPU, too few for the
/// largest arrays.
template <class Space>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// y[i] = pow(x[i], n). `x` and `y` are rank-1 views of one real type and extent. 0^0 is 1, and a
/// negative power of 0 is infinite, as IEEE 754 has it.
// begin: pow
template <class Array>
struct Pow {
  Array x, y;
  typename Array::value_type n;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { y(i) = Kokkos::pow(x(i), n); }
};
template <class Space, class Array>
void pow(const Space& space, const Array& x, const Array& y, int n) {
  // student: begin pow
  using T = typename Array::value_type;
  Kokkos::parallel_for("parallax::integer_power::pow", Range<Space>(space, 0, y.extent(0)),
                       Pow<Array>{x, y, static_cast<T>(n)});
  // student: end pow
}
// end: pow

/// x^n by |n| products. A negative exponent takes powers of 1 / x, not the reciprocal of a power:
/// x^20 overflows where x^-20 is still a subnormal number, and 1 / infinity would be 0.
// begin: loop
template <class T>
KOKKOS_FUNCTION T power_by_loop(T x, int n) {
  T power = 1;
  // student: begin loop
  const T factor = n < 0 ? 1 / x : x;
  for (int k = n < 0 ? -n : n; k > 0; --k) power *= factor;
  // student: end loop
  return power;
}
// end: loop

/// y[i] = x[i]^n by a loop of multiplications. All elements have the same exponent, so the threads
/// of a warp leave the loop together.
template <class Array>
struct Loop {
  Array x, y;
  int n;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { y(i) = power_by_loop(x(i), n); }
};
template <class Space, class Array>
void loop(const Space& space, const Array& x, const Array& y, int n) {
  Kokkos::parallel_for("parallax::integer_power::loop", Range<Space>(space, 0, y.extent(0)),
                       Loop<Array>{x, y, n});
}

/// The loop of multiplications by teams: each copies a block of x into its scratch, waits, and
/// reads its factors there. It gains nothing: an element is read once, and its thread could have
/// kept it in a register. What it costs is the copy and the barrier.
template <class Space, class Array>
void team_scratch(const Space& space, int team_size, const Array& x, const Array& y, int n) {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Scratch = Kokkos::View<typename Array::value_type*, typename Space::scratch_memory_space,
                               Kokkos::MemoryUnmanaged>;
  constexpr std::int64_t block = 1024;  // elements of a team
  const auto extent = static_cast<std::int64_t>(y.extent(0));
  const auto league = static_cast<int>((extent + block - 1) / block);
  Kokkos::parallel_for(
      "parallax::integer_power::team_scratch",
      Policy(space, league, team_size)
          .set_scratch_size(0, Kokkos::PerTeam(Scratch::shmem_size(block))),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const std::int64_t begin = block * team.league_rank(), left = extent - begin;
        const auto all = Kokkos::TeamThreadRange(team, left < block ? left : block);
        const Scratch staged(team.team_scratch(0), block);
        // student: begin team_scratch
        Kokkos::parallel_for(all, [&](std::int64_t k) { staged(k) = x(begin + k); });
        team.team_barrier();
        Kokkos::parallel_for(all,
                             [&](std::int64_t k) { y(begin + k) = power_by_loop(staged(k), n); });
        // student: end team_scratch
      });
}

}  // namespace parallax::kernels::integer_power
