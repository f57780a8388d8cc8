// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: With one thread in a team it is right. With several it is right now and then.
// expect: two runs differ
// cause: No barrier between the loops: a thread takes neighbours that others have not brought yet.
// only: threads
const int with_halo = width + 2, points = height * width;
Kokkos::parallel_for(Kokkos::TeamThreadRange(team, (height + 2) * with_halo), [&](int e) {
  const int r = e / with_halo, c = e % with_halo;
  tile(r, c) = from(top + r, left + c);
});
Kokkos::parallel_for(Kokkos::TeamThreadRange(team, points), [&](int e) {
  const int r = 1 + e / width, c = 1 + e % width;
  to(top + r, left + c) = after(tile, r, c);
});
