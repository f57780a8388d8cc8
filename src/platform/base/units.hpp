// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parallax {

/// "1.23", "12.3", "123": three significant digits.
std::string three_digits(double x);
/// "1.23 ms" from nanoseconds.
std::string readable_time(double ns);
/// "3.03 TB/s", "51.5 TFLOP/s": a quantity per second with its prefix.
std::string readable_rate(double per_second, const std::string& unit);
/// "1.5 GB".
std::string readable_bytes(double bytes);
/// "310 mJ".
std::string readable_joules(double joules);

/// Pads columns to their widest cell; the first column to the left, the others to the right.
std::string aligned(const std::vector<std::vector<std::string>>& rows);

}  // namespace parallax
