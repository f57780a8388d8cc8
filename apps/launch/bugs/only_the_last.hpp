// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: fused
// says: A chain of one kernel is right, and no longer one is.
// expect: wrong values
// cause: Each step begins with the value from memory, not with what the step before it left.
const auto value = x(i);
for (int k = 0; k < kernels; ++k) x(i) = step(value, k);
