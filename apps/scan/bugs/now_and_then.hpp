// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: It is right with one thread in a team; with several, two runs differ.
// expect: two runs differ
// cause: No barrier between two levels on the way down: a node reads what its parent writes.
// only: threads
for (int step = 1; step < block; step *= 2) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, block / (2 * step)), [&](int k) {
    const int right = (k + 1) * 2 * step - 1;
    x(right) += x(right - step);
  });
  team.team_barrier();
}
if (team.team_rank() == 0) x(block - 1) = starts(team.league_rank());
team.team_barrier();
for (int step = block / 2; step > 0; step /= 2)
  for (int k = team.team_rank(); k < block / (2 * step); k += team.team_size()) {
    const int right = (k + 1) * 2 * step - 1, left = right - step;
    const T before = x(right);
    x(right) += x(left);
    x(left) = before;
  }
team.team_barrier();
