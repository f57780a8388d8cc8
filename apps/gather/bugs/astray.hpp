// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: wrap
// says: It is right for all indices of the array, and beyond its end. Negative ones go astray.
// expect: wrong values
// cause: Index -1 is the last element; its absolute value is 1, the second.
out(i) = array(Kokkos::abs(index(i)) % extent);
