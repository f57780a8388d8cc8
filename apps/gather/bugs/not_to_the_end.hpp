// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: unchecked
// says: It is right for 256 elements and for 1024, and not for 1025.
// expect: the last N elements are missing
// cause: n / block counts whole blocks only; the elements behind them have none.
constexpr std::int64_t block = 256;
const std::int64_t blocks = out.extent(0) / block;
Kokkos::parallel_for("parallax::gather::unchecked", Range<Space>(space, 0, blocks* block),
                     Unchecked<Array, Index>{array, index, out});
