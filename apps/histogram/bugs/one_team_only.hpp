// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: It is right for a thousand values. With many teams some counts are too low, now and then.
// expect: N updates were lost
// cause: Teams add to the same counts at the same time: that addition needs an atomic as well.
// only: threads
Kokkos::parallel_for(Kokkos::TeamThreadRange(team, slots), [&](int s) { mine(s) = 0; });
team.team_barrier();
Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, Kokkos::min(begin + block, n)),
                     [&](std::int64_t i) { Kokkos::atomic_inc(&mine(binning.slot(x(i)))); });
team.team_barrier();
Kokkos::parallel_for(Kokkos::TeamThreadRange(team, slots), [&](int s) { counts(s) += mine(s); });
