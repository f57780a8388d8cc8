// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: row_per_thread
// says: It is right for a few thousand points an axis, and nonsense for a hundred thousand.
// expect: only right up to n = N
// cause: From n = 46 341 on the number of a point exceeds 2^31, more than an int holds.
// only: gpu
const int columns = static_cast<int>(n), begin = i * columns;
for (int j = first; j < n; j += stride) {
  const int point = begin + j;  // counted row by row
  sum += Kokkos::sin(at + y(point % columns));
}
