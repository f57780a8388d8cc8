// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: atomic
// says: The sum is right with one thread, and another one in every run with several.
// expect: two runs differ
// cause: `+=` reads, adds and writes: what another thread adds in between is lost.
Kokkos::deep_copy(space, sum, 0);
Kokkos::parallel_for(
    "parallax::tree_sum::atomic", Range<Space>(space, 0, a.extent(0)),
    KOKKOS_LAMBDA(std::int64_t i) { sum() += a(i); });
