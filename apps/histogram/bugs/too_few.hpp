// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: global_atomic
// says: The counts add up to less than the number of values.
// expect: N updates were lost
// cause: `++` reads, adds and writes: what another thread counts in between is lost.
Kokkos::deep_copy(space, counts, 0);
Kokkos::parallel_for(
    "parallax::histogram::global_atomic", Range<Space>(space, 0, x.extent(0)),
    KOKKOS_LAMBDA(std::int64_t i) { counts(binning.slot(x(i)))++; });
