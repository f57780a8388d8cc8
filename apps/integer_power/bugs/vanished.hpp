// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: loop
// says: In double precision all is right; in single precision some results are 0.
// expect: only f64 is right
// cause: For a negative exponent the power overflows, and its reciprocal is 0. Powers
// of the reciprocal do not overflow.
for (int k = n < 0 ? -n : n; k > 0; --k) power *= x;
if (n < 0) power = 1 / power;
