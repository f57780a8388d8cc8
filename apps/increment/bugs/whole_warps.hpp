// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: range
// says: All elements are right, and yet the check complains.
// expect: wrote beyond the end
// cause: Threads are rounded up to whole warps, and no `if (i < n)` stops those beyond the end.
constexpr std::int64_t warp = 32;
const auto n = static_cast<std::int64_t>(data.extent(0));
const std::int64_t threads = (n + warp - 1) / warp * warp;
Kokkos::parallel_for("parallax::increment::range", Range<Space>(space, 0, threads),
                     Element<Data>{data});
