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

namespace parallax::kernels {

/// y[i] = pow(x[i], n). `x` and `y` are rank-1 views of one real type and extent. 0^0 is 1, and a
/// negative power of 0 is infinite, as IEEE 754 has it.
template <class X, class Y>
struct IntegerPowerPow {
  X x;
  Y y;
  typename Y::value_type n;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { y(i) = Kokkos::pow(x(i), n); }
};
template <class Space, class X, class Y>
void integer_power_pow(const Space& space, const X& x, const Y& y, int n) {
  static_assert(X::rank() == 1 && Y::rank() == 1, "integer_power takes rank-1 views");
  using T = typename Y::value_type;
  Kokkos::parallel_for(
      "parallax::integer_power::pow",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, y.extent(0)),
      IntegerPowerPow<X, Y>{x, y, static_cast<T>(n)});
}

/// x^n by |n| products. A negative exponent takes powers of 1 / x, not the reciprocal of a power:
/// x^20 overflows where x^-20 is still a subnormal number, and 1 / infinity would be 0.
template <class T>
KOKKOS_FUNCTION T power_by_loop(T x, int n) {
  const T factor = n < 0 ? 1 / x : x;
  T power = 1;
  for (int k = n < 0 ? -n : n; k > 0; --k) power *= factor;
  return power;
}

/// y[i] = x[i]^n by a loop of multiplications. All elements have the same exponent, so the threads
/// of a warp leave the loop together.
template <class X, class Y>
struct IntegerPowerLoop {
  X x;
  Y y;
  int n;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { y(i) = power_by_loop(x(i), n); }
};
template <class Space, class X, class Y>
void integer_power_loop(const Space& space, const X& x, const Y& y, int n) {
  Kokkos::parallel_for(
      "parallax::integer_power::loop",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, y.extent(0)),
      IntegerPowerLoop<X, Y>{x, y, n});
}

/// The loop of multiplications by teams: each copies a block of x into its scratch, waits, and
/// reads its factors there. It gains nothing: an element is read once, and its thread could have
/// kept it in a register. What it costs is the copy and the barrier.
template <class Space, class X, class Y>
struct IntegerPowerTeamScratch {
  using Team = typename Kokkos::TeamPolicy<Space>::member_type;
  using Scratch = Kokkos::View<typename Y::value_type*, typename Space::scratch_memory_space,
                               Kokkos::MemoryUnmanaged>;
  static constexpr std::int64_t block = 1024;  // elements of a team
  X x;
  Y y;
  int n;
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t begin = block * team.league_rank(), left = y.extent(0) - begin;
    const auto all = Kokkos::TeamThreadRange(team, left < block ? left : block);
    const Scratch staged(team.team_scratch(0), block);
    Kokkos::parallel_for(all, [&](std::int64_t k) { staged(k) = x(begin + k); });
    team.team_barrier();
    Kokkos::parallel_for(all, [&](std::int64_t k) { y(begin + k) = power_by_loop(staged(k), n); });
  }
};
template <class Space, class X, class Y>
void integer_power_team_scratch(const Space& space, int team_size, const X& x, const Y& y, int n) {
  using Body = IntegerPowerTeamScratch<Space, X, Y>;
  const auto extent = static_cast<std::int64_t>(y.extent(0));
  const auto league = static_cast<int>((extent + Body::block - 1) / Body::block);
  Kokkos::TeamPolicy<Space> policy(space, league, team_size);
  policy.set_scratch_size(0, Kokkos::PerTeam(Body::Scratch::shmem_size(Body::block)));
  Kokkos::parallel_for("parallax::integer_power::team_scratch", policy, Body{x, y, n});
}

}  // namespace parallax::kernels
