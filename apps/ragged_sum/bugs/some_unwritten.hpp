// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: list_per_thread
// says: Most sums are right. Some have never been written.
// expect: N elements are missing
// cause: The sum of an empty list is 0, and the kernel returns before it writes it.
const auto begin = offsets(i), end = offsets(i + 1);
if (begin == end) return;  // nothing to add
auto sum = content(begin);
for (auto e = begin + 1; e < end; ++e) sum += content(e);
sums(i) = sum;
