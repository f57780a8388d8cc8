// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: range
// says: All sums are right. Of all the cores only one has worked, and on a GPU it crashes.
// expect: no kernel was launched
// cause: A loop in the function is the host's own: only what a parallel_for is given runs in space.
// only: cpu
const auto n = static_cast<std::int64_t>(c.extent(0));
for (std::int64_t i = 0; i < n; ++i) c(i) = a(i) + b(i);
