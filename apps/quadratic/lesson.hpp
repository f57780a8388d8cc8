// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// quadratic: x = (-b + sqrt(b b - 4 a c)) / (2 a), for every element of a, b and c.
//
// Over whole arrays, as in NumPy, every operator is a separate loop: nine loops, which write
// eight temporary arrays and the result. Fused, an element's intermediate values stay in registers.
//   nine_pass      22 array passes through memory (each operand read, each result written)
//   team_scratch    4 through memory: a team keeps the temporaries of its block in scratch
//   fused, team     4 through memory, none elsewhere: a, b and c in, x out
// All do the same 8 operations an element: bandwidth decides, and 22 / 4 = 5.5 is the most to gain.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>

namespace parallax::kernels::quadratic {

/// Indices of 64 bits: Kokkos's own choice has 32 on a GPU, and large arrays have more elements.
template <class Space, class... Tag>
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>, Tag...>;

/// Tags: each names an overload of operator(), so that one functor holds several kernels.
template <int k>
struct Pass {};
struct PassByPow {};

template <class Array>
struct Passes {
  using Index = std::int64_t;
  Array a, b, c, x;
  typename Array::value_type exponent{};  // for PassByPow
  Array minus_b{}, b2{}, four_a{}, four_ac{}, difference{}, root{}, numerator{}, two_a{};
  KOKKOS_FUNCTION void operator()(Pass<1>, Index i) const { minus_b(i) = -b(i); }
  KOKKOS_FUNCTION void operator()(Pass<2>, Index i) const { b2(i) = b(i) * b(i); }
  KOKKOS_FUNCTION void operator()(PassByPow, Index i) const { b2(i) = Kokkos::pow(b(i), exponent); }
  KOKKOS_FUNCTION void operator()(Pass<3>, Index i) const { four_a(i) = 4 * a(i); }
  KOKKOS_FUNCTION void operator()(Pass<4>, Index i) const { four_ac(i) = four_a(i) * c(i); }
  KOKKOS_FUNCTION void operator()(Pass<5>, Index i) const { difference(i) = b2(i) - four_ac(i); }
  KOKKOS_FUNCTION void operator()(Pass<6>, Index i) const { root(i) = Kokkos::sqrt(difference(i)); }
  KOKKOS_FUNCTION void operator()(Pass<7>, Index i) const { numerator(i) = minus_b(i) + root(i); }
  KOKKOS_FUNCTION void operator()(Pass<8>, Index i) const { two_a(i) = 2 * a(i); }
  KOKKOS_FUNCTION void operator()(Pass<9>, Index i) const { x(i) = numerator(i) / two_a(i); }
};

/// Nine kernels, as an array library launches them. Every temporary is a new array, freed once the
/// last kernel that reads it is launched, as in Python: at most four are alive. With an `exponent`,
/// 2, the square is a call of pow, as b**2 is where nothing looks at the exponent: compilers turn a
/// pow(b, 2.0) that they can see into b * b.
template <class Space, class Array>
void nine_pass(const Space& space, const Array& a, const Array& b, const Array& c, const Array& x,
               typename Array::value_type exponent = 0) {
  Passes<Array> p{a, b, c, x, exponent};
  const auto run = [&](const char* label, auto tag) {
    Kokkos::parallel_for("parallax::quadratic::nine_pass::" + std::string(label),
                         Range<Space, decltype(tag)>(space, 0, x.extent(0)), p);
  };
  const auto run_into = [&](Array& array, const char* label, auto tag) {
    array = Array(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "temporary"), x.extent(0));
    run(label, tag);
  };
  run_into(p.minus_b, "1_negate", Pass<1>{});
  exponent == 0 ? run_into(p.b2, "2_square", Pass<2>{}) : run_into(p.b2, "2_pow", PassByPow{});
  run_into(p.four_a, "3_times_four", Pass<3>{});
  run_into(p.four_ac, "4_times_c", Pass<4>{});
  p.four_a = Array();  // the last reference: this frees the array
  run_into(p.difference, "5_subtract", Pass<5>{});
  p.b2 = p.four_ac = Array();
  run_into(p.root, "6_sqrt", Pass<6>{});
  p.difference = Array();
  run_into(p.numerator, "7_add", Pass<7>{});
  p.minus_b = p.root = Array();
  run_into(p.two_a, "8_times_two", Pass<8>{});
  run("9_divide", Pass<9>{});
}

/// One kernel: the intermediate values of an element are in registers.
// begin: fused
template <class Array>
struct Element {
  Array a, b, c, x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    // student: begin fused
    x(i) = (-b(i) + Kokkos::sqrt(b(i) * b(i) - 4 * a(i) * c(i))) / (2 * a(i));
    // student: end fused
  }
};

template <class Space, class Array>
void fused(const Space& space, const Array& a, const Array& b, const Array& c, const Array& x) {
  Kokkos::parallel_for("parallax::quadratic::fused", Range<Space>(space, 0, x.extent(0)),
                       Element<Array>{a, b, c, x});
}
// end: fused

/// The same by a league of teams, `block` consecutive elements each: CUDA's blocks and threads.
template <class Space, class Array>
void team(const Space& space, int team_size, const Array& a, const Array& b, const Array& c,
          const Array& x, std::int64_t block) {
  using Policy = Kokkos::TeamPolicy<Space>;
  const auto n = static_cast<std::int64_t>(x.extent(0));
  const auto blocks = static_cast<int>((n + block - 1) / block);
  const Element<Array> element{a, b, c, x};
  Kokkos::parallel_for(
      "parallax::quadratic::team", Policy(space, blocks, team_size),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        // student: begin team
        const std::int64_t begin = block * team.league_rank(), end = Kokkos::min(begin + block, n);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, end), element);
        // student: end team
      });
}

/// The nine passes again, over one block after the other: three temporaries of a block fit into a
/// team's scratch, and none goes to memory.
template <class Space, class Array>
void team_scratch(const Space& space, int team_size, const Array& a, const Array& b, const Array& c,
                  const Array& x) {
  using Policy = Kokkos::TeamPolicy<Space>;
  using Scratch = Kokkos::View<typename Array::value_type*, typename Space::scratch_memory_space,
                               Kokkos::MemoryUnmanaged>;
  constexpr std::int64_t block = 1024;
  const auto n = static_cast<std::int64_t>(x.extent(0));
  const auto blocks = static_cast<int>((n + block - 1) / block);
  const std::size_t bytes = 3 * Scratch::shmem_size(block);
  Kokkos::parallel_for(
      "parallax::quadratic::team_scratch",
      Policy(space, blocks, team_size).set_scratch_size(0, Kokkos::PerTeam(bytes)),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const std::int64_t first = block * team.league_rank();
        const auto all = Kokkos::TeamThreadRange(team, Kokkos::min(block, n - first));
        const Scratch u(team.team_scratch(0), block), v(team.team_scratch(0), block),
            w(team.team_scratch(0), block);
        // student: begin team_scratch
        Kokkos::parallel_for(all, [&](int k) { u(k) = -b(first + k); });
        Kokkos::parallel_for(all, [&](int k) { v(k) = b(first + k) * b(first + k); });
        Kokkos::parallel_for(all, [&](int k) { w(k) = 4 * a(first + k); });
        team.team_barrier();  // what other threads of the team wrote may be read after it
        Kokkos::parallel_for(all, [&](int k) { w(k) *= c(first + k); });
        team.team_barrier();
        Kokkos::parallel_for(all, [&](int k) { v(k) -= w(k); });
        team.team_barrier();
        Kokkos::parallel_for(all, [&](int k) { v(k) = Kokkos::sqrt(v(k)); });
        Kokkos::parallel_for(all, [&](int k) { w(k) = 2 * a(first + k); });
        team.team_barrier();
        Kokkos::parallel_for(all, [&](int k) { u(k) += v(k); });
        team.team_barrier();
        Kokkos::parallel_for(all, [&](int k) { x(first + k) = u(k) / w(k); });
        // student: end team_scratch
      });
}

}  // namespace parallax::kernels::quadratic
