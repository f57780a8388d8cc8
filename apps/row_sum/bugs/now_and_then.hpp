// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: It is right with one thread in a team. With more, some rows miss a part, or have it twice.
// expect: two runs differ
// cause: A level reads partial sums that other threads are still adding to: no barrier in the loop.
// only: threads
T sum = 0;
for (std::int64_t c = me; c < columns; c += team.team_size()) sum += a(row, c);
partial(me) = sum;
for (int n = team.team_size(); n > 1; n = (n + 1) / 2) {
  const int half = (n + 1) / 2;
  if (me + half < n) partial(me) += partial(me + half);
}
if (me == 0) sums(row) = partial(0);
