// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: The counts are too high, and more so in every run.
// expect: N updates too many
// cause: Scratch memory is not 0 at the beginning: it has what a team or a kernel left there.
Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, Kokkos::min(begin + block, n)),
                     [&](std::int64_t i) { Kokkos::atomic_inc(&mine(binning.slot(x(i)))); });
team.team_barrier();
Kokkos::parallel_for(Kokkos::TeamThreadRange(team, slots), [&](int s) {
  if (mine(s) != 0) Kokkos::atomic_add(&counts(s), std::int64_t{mine(s)});
});
