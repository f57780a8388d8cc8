// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// quadratic: x = (-b + sqrt(b b - 4 a c)) / (2 a), for every element of a, b and c.
//
// Written over whole arrays, as in NumPy, every operator is a loop of its own: nine loops, which
// write eight temporary arrays and the result, and read what they need. Fused into one kernel, an
// element's intermediate values never leave the registers.
//
//   nine kernels   22 array passes (each operand read once and each result written once)
//   fused           4 array passes: a, b and c in, x out
//
// Both do the same 8 operations an element (a square root and a division among them), and bandwidth
// decides: the ratio is 22 / 4 = 5.5 at best.
//
// -b + sqrt(b b - 4 a c) loses digits where 4 a c is small beside b b, as it is here: the error is
// about eps b / (2 a), whatever the size of x. (-2 c / (b + sqrt(...)) loses none; the course's
// formula is kept, for it is what is compared.)
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "device/elementwise.hpp"
#include "device/transform.hpp"

namespace parallax::kernels {

/// A new array for each temporary, freed when it is given back. Kokkos waits for all kernels before
/// it frees memory that one of them may still use, and so does the driver.
template <class Space, class T>
class Fresh {
 public:
  using Array = Kokkos::View<T*, typename Space::memory_space>;
  Array take(const Space& space, std::size_t n) {
    return Array(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "temporary"), n);
  }
  /// Ends the last reference, which frees the array. (To move a View is to copy it before Kokkos 5,
  /// so moving it in would free nothing.)
  void give(Array& array) { array = Array(); }
};

/// A memory pool, in ten lines: an array that is given back is kept for the next that asks. Nothing
/// waits, because all users of an array are kernels of one instance, which run one after the other.
/// The quadratic's eight temporaries need four arrays, the first time; afterwards none is made.
template <class Space, class T>
class Pool {
 public:
  using Array = typename Fresh<Space, T>::Array;
  Array take(const Space& space, std::size_t n) {
    if (free_.empty() || free_.back().extent(0) != n) return Fresh<Space, T>{}.take(space, n);
    Array array = free_.back();
    free_.pop_back();
    return array;
  }
  void give(Array& array) { free_.push_back(std::exchange(array, Array())); }

 private:
  std::vector<Array> free_;
};

/// Nine kernels, as an array library runs them. `memory` is a Fresh or a Pool; a temporary is given
/// back as soon as the last kernel that reads it has been launched, as Python drops an array that
/// nothing refers to any more. At most four are alive at once. The labels are what a profiler
/// shows.
template <class Space, class Memory, class V, class X>
void quadratic_nine_pass(const Space& space, Memory& memory, const V& a, const V& b, const V& c,
                         const X& x) {
  const std::size_t n = x.extent(0);
  auto minus_b = memory.take(space, n);
  transform("parallax::quadratic::nine_pass::1_negate", space, minus_b, elementwise::Negate{}, b);
  auto b_squared = memory.take(space, n);
  transform("parallax::quadratic::nine_pass::2_square", space, b_squared, elementwise::Square{}, b);
  auto four_a = memory.take(space, n);
  transform("parallax::quadratic::nine_pass::3_times_four", space, four_a, elementwise::Times<4>{},
            a);
  auto four_ac = memory.take(space, n);
  transform("parallax::quadratic::nine_pass::4_times_c", space, four_ac, elementwise::Multiply{},
            four_a, c);
  memory.give(four_a);
  auto discriminant = memory.take(space, n);
  transform("parallax::quadratic::nine_pass::5_subtract", space, discriminant,
            elementwise::Subtract{}, b_squared, four_ac);
  memory.give(b_squared);
  memory.give(four_ac);
  auto root = memory.take(space, n);
  transform("parallax::quadratic::nine_pass::6_sqrt", space, root, elementwise::SquareRoot{},
            discriminant);
  memory.give(discriminant);
  auto numerator = memory.take(space, n);
  transform("parallax::quadratic::nine_pass::7_add", space, numerator, elementwise::Add{}, minus_b,
            root);
  memory.give(minus_b);
  memory.give(root);
  auto two_a = memory.take(space, n);
  transform("parallax::quadratic::nine_pass::8_times_two", space, two_a, elementwise::Times<2>{},
            a);
  transform("parallax::quadratic::nine_pass::9_divide", space, x, elementwise::Divide{}, numerator,
            two_a);
  memory.give(numerator);
  memory.give(two_a);
}

/// One element, from registers to a register.
struct QuadraticRoot {
  template <class T>
  KOKKOS_FUNCTION T operator()(T a, T b, T c) const {
    return (-b + Kokkos::sqrt(b * b - 4 * a * c)) / (2 * a);
  }
};

/// One kernel: packs of 16 bytes a GPU thread and array, long plain runs on a CPU, where
/// the square roots and divisions are vector instructions.
template <class Space, class V, class X>
void quadratic_fused(const Space& space, const V& a, const V& b, const V& c, const X& x) {
  transform("parallax::quadratic::fused", space, x, QuadraticRoot{}, a, b, c);
}

/// One kernel again, as a league of teams, a block of consecutive elements each: the CUDA form,
/// with blocks and threads. The last block is shorter, and its bound says so.
template <class Space, class V, class X>
void quadratic_team(const Space& space, const V& a, const V& b, const V& c, const X& x) {
  constexpr int team_size = is_host_space<Space> ? 1 : 256;
  constexpr std::int64_t block = is_host_space<Space> ? 8192 : 512;  // elements a team
  using Policy = Kokkos::TeamPolicy<Space>;
  const auto n = static_cast<std::int64_t>(x.extent(0));
  const auto league = static_cast<int>((n + block - 1) / block);
  Kokkos::parallel_for(
      "parallax::quadratic::team", Policy(space, league, team_size),
      KOKKOS_LAMBDA(const typename Policy::member_type& member) {
        const std::int64_t begin = block * member.league_rank();
        const std::int64_t end = begin + block < n ? begin + block : n;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, begin, end),
                             [&](std::int64_t i) { x(i) = QuadraticRoot{}(a(i), b(i), c(i)); });
      });
}

}  // namespace parallax::kernels
