// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: sum_then_scale
// says: The longer the vector, the smaller is every element.
// expect: wrong values
// cause: The root is missing: each element is divided by the square of the norm.
Kokkos::parallel_for("parallax::normalize::divide", Range<Space>(space, 0, v.extent(0)),
                     Quotient<Array, Norm>{v, out, norm});
