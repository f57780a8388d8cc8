// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: It is right with one thread in a team. With more, other rows are wrong in every run.
// expect: two runs differ
// cause: All threads add to one place in scratch: `+=` is not one step, and additions are lost.
// only: threads
if (me == 0) partial(0) = 0;
team.team_barrier();
for (std::int64_t c = me; c < columns; c += team.team_size()) partial(0) += a(row, c);
team.team_barrier();
if (me == 0) sums(row) = partial(0);
