// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: It is right for 256 elements and for 1024, and wrong for 255 and 257.
// expect: wrong values
// cause: Half of an odd length is rounded down: its last element is never added.
Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n), [&](int i) { x(i) = a(first + i); });
team.team_barrier();
for (int half = n / 2; half > 0; half /= 2) {
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, half), [&](int i) { x(i) += x(i + half); });
  team.team_barrier();
}
if (team.team_rank() == 0) Kokkos::atomic_add(&sum(), x(0));
