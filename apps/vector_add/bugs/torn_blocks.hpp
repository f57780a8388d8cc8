// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: It is right with one thread in a team, and mostly wrong with several.
// expect: two runs differ
// cause: A thread reads elements of the block that other threads have not brought yet: no barrier.
// only: threads
for (std::int64_t i = team.team_rank(); i < count; i += team.team_size()) {
  a_block(i) = a(begin + i);
  b_block(i) = b(begin + i);
}
Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                     [&](std::int64_t i) { c(begin + i) = a_block(i) + b_block(i); });
