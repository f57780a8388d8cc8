// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: With 256 threads in a team it is right, with one it is not.
// expect: wrong values
// cause: Each thread copies one weight, so that a team with fewer threads than weights leaves
// the others out.
const int me = team.team_rank();
if (me < taps) shared(me) = weights(me);
team.team_barrier();
const std::int64_t begin = block * team.league_rank();
const std::int64_t end = begin + block < n ? begin + block : n;
Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, end),
                     [&](std::int64_t i) { convolve(in, shared, taps, out, i); });
