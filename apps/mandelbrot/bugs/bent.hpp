// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: mdrange
// says: The picture looks like the set's, bent out of shape.
// expect: wrong values
// cause: The new imaginary part is computed from the new real part, and needs the old one.
T x = cx, y = cy;
for (int k = 0; k < max_iterations; ++k) {
  x = Kokkos::fma(x, x, Kokkos::fma(-y, y, cx));
  y = Kokkos::fma(x, y, Kokkos::fma(x, y, cy));
  if (!(Kokkos::fma(x, x, y * y) <= T(4))) return k;
}
