// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: range
// says: The chain is right, the independent kernels are not.
// expect: the last N elements are missing
// cause: All kernels work on the first part. In a chain all parts are the same one.
for (int k = 0; k < std::ssize(parts); ++k)
  Kokkos::parallel_for("parallax::launch::range", indices(space, parts[0]),
                       Step<Part>{parts[0], k});
