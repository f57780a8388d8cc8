// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: It is right everywhere, and several times too slow on a GPU.
// expect: right, but slow
// cause: Each thread reads a stretch of its own, so that neighbours read elements far apart.
// only: gpu
const std::int64_t stretch = (columns + team.team_size() - 1) / team.team_size();
const std::int64_t end = Kokkos::min((me + 1) * stretch, columns);
T sum = 0;
for (std::int64_t c = me * stretch; c < end; ++c) sum += a(row, c);
partial(me) = sum;
team.team_barrier();
for (int n = team.team_size(); n > 1; n = (n + 1) / 2) {
  const int half = (n + 1) / 2;
  if (me + half < n) partial(me) += partial(me + half);
  team.team_barrier();
}
if (me == 0) sums(row) = partial(0);
