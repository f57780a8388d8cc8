// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: loop
// says: Some powers are right, and others are 1 whatever x is.
// expect: wrong values
// cause: The loop does not run for a negative exponent.
for (int k = 0; k < n; ++k) power *= x;
