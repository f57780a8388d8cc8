// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: range
// says: It is as fast as it can be on a CPU, and several times too slow on a GPU.
// expect: right, but slow
// cause: Neighbouring threads read elements that are 64 apart, so that no load is coalesced.
// only: gpu
constexpr std::int64_t stretch = 64;  // neighbouring elements of a thread, for the caches
const auto n = static_cast<std::int64_t>(c.extent(0));
const std::int64_t threads = (n + stretch - 1) / stretch;
Kokkos::parallel_for(
    "parallax::vector_add::range",
    Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0, threads),
    KOKKOS_LAMBDA(std::int64_t t) {
      const std::int64_t end = Kokkos::min((t + 1) * stretch, n);
      for (std::int64_t i = t * stretch; i < end; ++i) c(i) = a(i) + b(i);
    });
