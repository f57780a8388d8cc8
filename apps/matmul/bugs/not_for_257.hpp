// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team_scratch
// says: It is right for 256 x 256 matrices, and wrong for 257 x 257.
// expect: wrong values
// cause: The loop stops before a tile that reaches beyond the depth, whose products are left out.
for (std::int64_t l = 0; l + tile <= depth; l += tile) {
  Kokkos::parallel_for(elements, [&](int e) {
    const int r = e % tile, s = e / tile;
    a_tile(r, s) = inside(a, i + r, l + s) ? a(i + r, l + s) : T(0);
    b_tile(r, s) = inside(b, l + r, j + s) ? b(l + r, j + s) : T(0);
  });
  team.team_barrier();
  Kokkos::parallel_for(elements, [&](int e) {
    const int r = e % tile, s = e / tile;
    for (int x = 0; x < tile; ++x) c_tile(r, s) += a_tile(r, x) * b_tile(x, s);
  });
  team.team_barrier();
}
