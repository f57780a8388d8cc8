// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: It is right for a thousand elements, and wrong for two thousand.
// expect: only right up to n = N
// cause: Every team squares the first block's b: the block begins at `first`.
Kokkos::parallel_for(all, [&](int k) { u(k) = -b(first + k); });
Kokkos::parallel_for(all, [&](int k) { v(k) = b(k) * b(k); });
Kokkos::parallel_for(all, [&](int k) { w(k) = 4 * a(first + k) * c(first + k); });
team.team_barrier();
Kokkos::parallel_for(all, [&](int k) { v(k) = Kokkos::sqrt(v(k) - w(k)); });
team.team_barrier();
Kokkos::parallel_for(all, [&](int k) { x(first + k) = (u(k) + v(k)) / (2 * a(first + k)); });
