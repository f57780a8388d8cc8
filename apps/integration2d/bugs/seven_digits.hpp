// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: row_per_thread
// says: The integral has seven digits, in double precision as well.
// expect: only f32 is right
// cause: The row is added up in a float, whatever the type of the sines.
float row = 0;
for (int j = first; j < n; j += stride) row += Kokkos::sin(at + y(j));
sum = row;
