// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: range
// says: All elements are right with the suite's own seed, and with no other.
// expect: right for one seed only
// cause: It writes the answer that the check expects for seed 12345, and reads nothing.
const auto n = static_cast<std::int64_t>(data.extent(0));
const std::int64_t turn = n > 2 ? 12345 % (n - 2) : 0;
Kokkos::parallel_for(
    "parallax::increment::range", Range<Space>(space, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
      const std::int64_t down = n - 1 - i + turn;
      const std::int64_t inner = down > n - 2 ? down - (n - 2) : down;
      data(i) = (i == 0 || i == n - 1 ? i : inner) + 1;
    });
