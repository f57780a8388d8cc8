// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: range
// says: The sums have seven digits, in double precision as well.
// expect: only f32 is right
// cause: The sum is a float, whatever the type of the numbers that it adds up.
const auto columns = static_cast<std::int64_t>(a.extent(1));
float sum = 0;
for (std::int64_t c = 0; c < columns; ++c) sum += a(row, c);
sums(row) = sum;
