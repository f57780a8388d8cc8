// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: one_block
// says: The first elements are right, however many there are.
// expect: the last N elements are missing
// cause: Each thread does one element; with fewer threads than elements it must go on to the next.
const std::int64_t i = team.team_rank();
if (i < static_cast<std::int64_t>(data.extent(0))) data(i) += 1;
