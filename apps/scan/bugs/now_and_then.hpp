// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: It is right with one thread in a team; with several, two runs differ.
// expect: two runs differ
// cause: No barrier between two levels on the way down: a node reads what its parent writes.
// only: threads
for (int stride = 1; stride < block; stride *= 2) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, block / (2 * stride)), [&](int k) {
    const int right = (k + 1) * 2 * stride - 1;
    x(right) += x(right - stride);
  });
  team.team_barrier();
}
if (team.team_rank() == 0) x(block - 1) = starts(team.league_rank());
team.team_barrier();
for (int stride = block / 2; stride > 0; stride /= 2)
  for (int k = team.team_rank(); k < block / (2 * stride); k += team.team_size()) {
    const int right = (k + 1) * 2 * stride - 1, left = right - stride;
    const T before = x(right);
    x(right) += x(left);
    x(left) = before;
  }
team.team_barrier();
