// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/results.hpp"

namespace parallax {

/// Lines up columns by their widest cell; the first column to the left, the others to the right.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

/// "1.23 ms" from nanoseconds, three significant digits.
std::string readable_time(double ns);
/// "3.03 TB/s", "51.5 TFLOP/s": a quantity a second with its prefix.
std::string readable_rate(double per_second, const std::string& unit);
/// "1.5 GB".
std::string readable_bytes(double bytes);

/// The table of a run: one line per row, under a line that names the columns.
std::string table(const Results& results, bool all_rows = true);
/// What each exercise computed, a line for each: a number where all rows agree, else the range of
/// what they found and the rows at its ends.
std::string result_lines(const Results& results);
/// What the ceilings are, and how many times faster the best variant is in one space than in
/// another, with both sides' device and thread count spelt out.
std::string footer(const Results& results);

}  // namespace parallax
