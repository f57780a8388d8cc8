// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: It is right with one thread in a team, and mostly wrong with several.
// expect: two runs differ
// cause: A thread reads a column of the tile that other threads have not brought yet: no barrier.
// only: threads
for (int k = team.team_rank(); k < tile * tile; k += team.team_size()) {
  const int i = k / tile, j = k % tile;
  if (row + i < rows && column + j < columns) x(i, j) = in(row + i, column + j);
}
for (int k = team.team_rank(); k < tile * tile; k += team.team_size()) {
  const int j = k / tile, i = k % tile;
  if (row + i < rows && column + j < columns) out(column + j, row + i) = x(i, j);
}
