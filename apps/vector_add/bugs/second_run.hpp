// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: range
// says: It was right when c was 0. Run again, it is not.
// expect: an old result was left
// cause: `c(i) +=` keeps what was in c, where each element has to be written.
const auto n = static_cast<std::int64_t>(c.extent(0));
Kokkos::parallel_for(
    "parallax::vector_add::range",
    Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, n),
    KOKKOS_LAMBDA(std::int64_t i) {
      c(i) += a(i);
      c(i) += b(i);
    });
