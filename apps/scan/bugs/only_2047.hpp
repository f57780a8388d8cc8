// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: three_kernels
// says: It is right for 2047 numbers, and wrong for 2048.
// expect: only right up to n = N
// cause: A block starts at the sum of the block before it, not of all blocks before: no scan.
Kokkos::parallel_for("parallax::scan::three_kernels::sums", Range<Space>(space, 0, blocks),
                     AddBlock<Array>{a, sums});
Kokkos::parallel_for(
    "parallax::scan::three_kernels::starts", Range<Space>(space, 0, blocks),
    KOKKOS_LAMBDA(std::int64_t b) { starts(b) = b > 0 ? sums(b - 1) : 0; });
Kokkos::parallel_for("parallax::scan::three_kernels::blocks", Range<Space>(space, 0, blocks),
                     WriteBlock<Array>{a, starts, offsets});
