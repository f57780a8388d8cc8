// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: naive
// says: Square matrices are right. In all others a part is left out.
// expect: the last N elements are missing
// cause: The range is the largest square: rows and columns are counted by the smaller of both.
const auto side = Kokkos::min(in.extent(0), in.extent(1));
Kokkos::parallel_for("parallax::transpose::naive",
                     Kokkos::MDRangePolicy<Space, RowByRow, Kokkos::IndexType<std::int64_t>>(
                         space, {0, 0}, {side, side}),
                     Element<Matrix>{in, out});
