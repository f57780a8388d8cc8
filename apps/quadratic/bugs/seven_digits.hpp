// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: fused
// says: The roots have seven digits, in double precision as well.
// expect: only f32 is right
// cause: sqrtf is the square root of a float: it rounds a double to one first.
const auto discriminant = b(i) * b(i) - 4 * a(i) * c(i);
x(i) = (-b(i) + sqrtf(discriminant)) / (2 * a(i));
