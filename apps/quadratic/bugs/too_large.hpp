// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: fused
// says: The roots are right where a is 1.
// expect: wrong values
// cause: / and * are done from left to right: this divides by 2 and multiplies by a.
const auto discriminant = b(i) * b(i) - 4 * a(i) * c(i);
x(i) = (-b(i) + Kokkos::sqrt(discriminant)) / 2 * a(i);
