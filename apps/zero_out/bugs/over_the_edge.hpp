// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
// step: team
// says: With one thread in a team it is right; with three it destroys what is behind the array.
// expect: wrong values
// cause: The last team has threads without an element, and nothing stops them.
// only: threads
const std::int64_t i = std::int64_t{team.league_rank()} * team.team_size() + team.team_rank();
data(i) = 0;
