// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: The tiles are where they belong, but each is as it was.
// expect: wrong values
// cause: The tile is read in the order in which it was written: nothing turns it round.
const auto all = Kokkos::TeamThreadRange(team, tile* tile);
Kokkos::parallel_for(all, [&](int k) {
  const int i = k / tile, j = k % tile;
  if (row + i < rows && column + j < columns) x(i, j) = in(row + i, column + j);
});
team.team_barrier();
Kokkos::parallel_for(all, [&](int k) {
  const int j = k / tile, i = k % tile;
  if (row + i < rows && column + j < columns) out(column + j, row + i) = x(j, i);
});
