// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: list_per_thread
// says: Each sum is off by one element.
// expect: wrong values
// cause: offsets(i + 1) is where the next list begins: `<=` adds its first element to this one.
typename Sums::non_const_value_type sum = 0;
for (auto e = offsets(i); e <= offsets(i + 1); ++e) sum += content(e);
sums(i) = sum;
