// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: global_atomic
// says: All bins are off by the same number.
// expect: an old result was left
// cause: Nothing sets the counts to 0 before the kernel adds to them.
Kokkos::parallel_for("parallax::histogram::global_atomic", Range<Space>(space, 0, x.extent(0)),
                     GlobalAtomic<X, Counts>{x, binning, counts});
