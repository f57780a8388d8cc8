// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "run/results/results.hpp"

namespace parallax {

/// A doubt about a row's times, in a letter and in words.
struct Doubt {
  char letter;
  std::string why;
};

/// The best clock that a row of the same space and number of threads ran at; 0 where none is
/// known.
double best_mhz(const Results& results, const RowResult& row);
/// "419 % of triad L2": a row above 150 % of a ceiling whose rounds agree has hardly done its work;
/// "" for all others. A library's arithmetic may be in matrix units, which have no ceiling here.
std::string above_ceiling(const RowResult& row);
/// d: disturbed, c: below 90 % of the best clock, t: the device said that it was throttled, f:
/// above its ceiling.
std::vector<Doubt> doubts(const Results& results, const RowResult& row);
/// The letters of a row's marks.
std::string doubt_letters(const Results& results, const RowResult& row);
/// A line for each kind of doubt, and for the first rows that have it; "" where no row has any.
std::string doubt_notes(const Results& results, bool with_rows = true);

}  // namespace parallax
