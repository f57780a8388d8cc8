// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: d2d
// says: The destination has none of the numbers that were sent.
// expect: changed its input
// cause: deep_copy takes the destination first: this one copies `to` over `from`.
Kokkos::deep_copy(space, from, to);
