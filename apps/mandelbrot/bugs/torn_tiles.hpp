// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: It is right with one thread in a team. With more, the picture has torn tiles.
// expect: two runs differ
// cause: A thread writes pixels that another one has not computed yet: no barrier before.
// only: threads
const int size = rows * columns;
Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size), [&](int i) {
  tile(i / columns, i % columns) = pixel.count(top + i / columns, left + i % columns);
});
for (int i = team.team_rank(); i < size; i += team.team_size()) {
  const int row = columns_first ? i / columns : i % rows;
  const int column = columns_first ? i % columns : i / rows;
  pixels(top + row, left + column) = tile(row, column);
}
