// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: All elements are right, and the exercise is not done.
// expect: no scratch was used
// cause: It adds in global memory: the block in scratch is made and never used.
Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                     [&](std::int64_t i) { data(begin + i) += 1; });
