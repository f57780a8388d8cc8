// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: block_scratch
// says: It is right with one thread in a team. With more, some of its rows are not this team's.
// expect: two runs differ
// cause: The last thread is not the last to write: without a barrier it reads too early.
// only: threads
const int i = team.league_rank() * team.team_size() + team.team_rank();
const int last = team.team_size() - 1;
const Scratch<Space> row(team.team_scratch(0), team.team_size());
row(team.team_rank()) = i < grid.n ? grid.part_of_row(i, 0, 1) : 0.0;
if (team.team_rank() == last) {
  double sum = 0.0;
  for (int t = 0; t <= last; ++t) sum += row(t);
  c(team.league_rank()) = sum;
}
