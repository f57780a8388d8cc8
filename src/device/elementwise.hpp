// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Functions of single elements, for transform.hpp, as types with a name.
//
// A KOKKOS_LAMBDA would do, and in a program only for CPUs cost nothing. But where nvcc compiles
// for both, it hides a lambda for host and device behind a pointer on the host: each element is a
// call, nothing is inlined and no loop vectorised. `quadratic` took six times as long on the cores
// beside a GPU. A type's operator() is inlined everywhere. (One call for each index of a
// RangePolicy, as the `range` variants have it, costs up to five times; one for each team or run
// of elements does not show.)
#pragma once

#include <Kokkos_Core.hpp>

namespace parallax::kernels::elementwise {

struct Negate {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return -x;
  }
};
struct Square {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return x * x;
  }
};
struct SquareRoot {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return Kokkos::sqrt(x);
  }
};
/// Plus the whole number `n`.
template <int n>
struct Plus {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return x + n;
  }
};
/// `n` times.
template <int n>
struct Times {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return n * x;
  }
};

struct Add {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x, T y) const {
    return x + y;
  }
};
struct Subtract {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x, T y) const {
    return x - y;
  }
};
struct Multiply {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x, T y) const {
    return x * y;
  }
};
struct Divide {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x, T y) const {
    return x / y;
  }
};

}  // namespace parallax::kernels::elementwise
