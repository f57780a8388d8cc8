// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: kokkos_scan
// says: Only the total is right: each list is said to begin where it ends.
// expect: wrong values
// cause: The sum is written after the number was added: it is inclusive, and the offsets are not.
if (i < static_cast<std::int64_t>(a.extent(0))) sum += a(i);
if (final) offsets(i) = sum;
