// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: mdrange
// says: Hot discs spread as they should, but the whole plate is cold after a few steps.
// expect: wrong values
// cause: It takes an eighth of each neighbour, and nothing of the heat that it had.
next = a * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1));
