// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: With 1, 2 or 4 threads in a team it is right, with 3 it is not.
// expect: wrong values
// cause: An odd number of sums is halved without the last one, which is never added.
// only: threads
double sum = 0;
for (std::int64_t i = first + me; i < end; i += team.team_size()) {
  const double x = v(i);
  sum += x * x;
}
partial(me) = sum;
team.team_barrier();
for (int half = team.team_size() / 2; half > 0; half /= 2) {
  if (me < half) partial(me) += partial(me + half);
  team.team_barrier();
}
if (me == 0) Kokkos::atomic_add(&norm(), partial(0));
