// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: For 1024 elements it is right, for 1025 it is not.
// expect: wrong values
// cause: The last block is written whole, whatever the number of elements left.
const std::int64_t begin = size * team.league_rank();
const Scratch block(team.team_scratch(0), size);
Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size), [&](std::int64_t i) { block(i) = 0; });
team.team_barrier();
Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size),
                     [&](std::int64_t i) { data(begin + i) = block(i); });
