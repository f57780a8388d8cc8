// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: It is right with one thread in a team. With more, the area is far below pi.
// expect: N updates were lost
// cause: Thread 0 adds only its own count: what the others counted is never joined.
// only: threads
std::int64_t mine = 0;
Kokkos::parallel_for(Kokkos::TeamThreadRange(t, begin, Kokkos::min(begin + streams, all)),
                     [&](std::int64_t i) { stream(i, mine); });
count(rank) = mine;
t.team_barrier();
if (rank == 0) Kokkos::atomic_add(&hits(), count(rank));
