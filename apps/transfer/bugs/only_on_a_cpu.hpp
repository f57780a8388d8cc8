// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: d2d
// says: It is right on a CPU. On a GPU the destination never changes.
// expect: nothing was written
// cause: On a GPU the mirror is another array, on the host, and nothing copies it to `to`.
// only: gpu
const auto mirror = Kokkos::create_mirror_view(to);
Kokkos::deep_copy(space, mirror, from);
