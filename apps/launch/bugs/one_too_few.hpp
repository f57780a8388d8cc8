// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: graph
// says: The last of the kernels has no effect.
// expect: the last N elements are missing
// cause: The loop adds a node for each pair of neighbours, one fewer than there are kernels.
Node last = root;
for (int k = 0; k + 1 < std::ssize(parts); ++k)
  last = (chain ? last : root)
             .then_parallel_for("parallax::launch::graph", indices(space, parts[k]),
                                Step<Part>{parts[k], k});
