// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// quadratic: the nine passes with arrays from a memory pool, and the fused kernel, both as wide
// loops (device/transform.hpp).
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <utility>
#include <vector>

#include "device/elementwise.hpp"
#include "device/transform.hpp"

namespace parallax::kernels::quadratic {

/// A memory pool, in ten lines: an array that is given back is kept for the next that asks. Nothing
/// waits, because all users of an array are kernels of one instance, which run one after the other.
/// The quadratic's eight temporaries need four arrays, the first time; afterwards none is made.
template <class Space, class T>
class Pool {
 public:
  using Array = Kokkos::View<T*, typename Space::memory_space>;
  Array take(const Space& space, std::size_t n) {
    if (free_.empty() || free_.back().extent(0) != n)
      return Array(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "temporary"), n);
    Array array = free_.back();
    free_.pop_back();
    return array;
  }
  void give(Array& array) { free_.push_back(std::exchange(array, Array())); }

 private:
  std::vector<Array> free_;
};

/// Nine kernels, as an array library with a pool runs them. A temporary goes back to the pool as
/// soon as the last kernel that reads it has been launched.
template <class Space, class T, class Array>
void nine_pass_pool(const Space& space, Pool<Space, T>& memory, const Array& a, const Array& b,
                    const Array& c, const Array& x) {
  const std::size_t n = x.extent(0);
  auto minus_b = memory.take(space, n);
  transform("parallax::quadratic::nine_pass_pool::1_negate", space, minus_b, elementwise::Negate{},
            b);
  auto b_squared = memory.take(space, n);
  transform("parallax::quadratic::nine_pass_pool::2_square", space, b_squared,
            elementwise::Square{}, b);
  auto four_a = memory.take(space, n);
  transform("parallax::quadratic::nine_pass_pool::3_times_four", space, four_a,
            elementwise::Times<4>{}, a);
  auto four_ac = memory.take(space, n);
  transform("parallax::quadratic::nine_pass_pool::4_times_c", space, four_ac,
            elementwise::Multiply{}, four_a, c);
  memory.give(four_a);
  auto discriminant = memory.take(space, n);
  transform("parallax::quadratic::nine_pass_pool::5_subtract", space, discriminant,
            elementwise::Subtract{}, b_squared, four_ac);
  memory.give(b_squared);
  memory.give(four_ac);
  auto root = memory.take(space, n);
  transform("parallax::quadratic::nine_pass_pool::6_sqrt", space, root, elementwise::SquareRoot{},
            discriminant);
  memory.give(discriminant);
  auto numerator = memory.take(space, n);
  transform("parallax::quadratic::nine_pass_pool::7_add", space, numerator, elementwise::Add{},
            minus_b, root);
  memory.give(minus_b);
  memory.give(root);
  auto two_a = memory.take(space, n);
  transform("parallax::quadratic::nine_pass_pool::8_times_two", space, two_a,
            elementwise::Times<2>{}, a);
  transform("parallax::quadratic::nine_pass_pool::9_divide", space, x, elementwise::Divide{},
            numerator, two_a);
  memory.give(numerator);
  memory.give(two_a);
}

/// One element, from registers to a register.
struct Root {
  template <class T>
  KOKKOS_FUNCTION T operator()(T a, T b, T c) const {
    return (-b + Kokkos::sqrt(b * b - 4 * a * c)) / (2 * a);
  }
};

/// One kernel: packs of 16 bytes a GPU thread and array, long plain runs on a CPU, where
/// the square roots and divisions are vector instructions.
template <class Space, class Array>
void fused_wide(const Space& space, const Array& a, const Array& b, const Array& c,
                const Array& x) {
  transform("parallax::quadratic::fused_wide", space, x, Root{}, a, b, c);
}

}  // namespace parallax::kernels::quadratic
