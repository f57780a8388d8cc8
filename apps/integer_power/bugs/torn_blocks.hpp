// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: With one thread in a team it is right; with several, two runs differ.
// expect: two runs differ
// cause: A thread reads elements that other threads have not brought yet: no barrier.
// only: threads
const std::int64_t count = left < block ? left : block;
for (std::int64_t k = team.team_rank(); k < count; k += team.team_size()) staged(k) = x(begin + k);
Kokkos::parallel_for(all, [&](std::int64_t k) { y(begin + k) = power_by_loop(staged(k), n); });
