// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parallax {

/// A whole number as people write it: 1000, 1e6, 1_000_000. Empty where it is not one or leaves 64
/// bits.
std::optional<std::int64_t> parse_integer(const std::string& text);
/// A finite real number; empty where it is not one.
std::optional<double> parse_real(const std::string& text);

/// The shortest text that reads back as this number.
std::string shortest(double x);
/// With this number of digits after the point ("%.*f").
std::string fixed(double x, int decimals);
/// With this number of digits at most, trailing zeros left out ("%.*g").
std::string significant(long double x, int digits);

/// Names and values as a user typed them.
using Assignments = std::vector<std::pair<std::string, std::string>>;

/// Splits "n=1000,bins=120,real=-2,0.5" at the commas that begin a new name. Throws UsageError.
Assignments parse_assignments(const std::string& text);

}  // namespace parallax
