// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: block_scratch
// says: It is right with one thread in a team. With more, some of its rows are not this team's.
// expect: two runs differ
// cause: Thread 0 adds up the scratch memory before its neighbours have written to it: no barrier.
// only: threads
const int i = team.league_rank() * team.team_size() + team.team_rank();
const IntegrationScratch<Space> row(team.team_scratch(0), team.team_size());
row(team.team_rank()) = i < grid.n ? grid.part_of_row(i, 0, 1) : 0.0;
if (team.team_rank() == 0) {
  double sum = 0.0;
  for (int t = 0; t < team.team_size(); ++t) sum += row(t);
  c(team.league_rank()) = sum;
}
