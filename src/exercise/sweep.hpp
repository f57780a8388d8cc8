// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "exercise/parameters.hpp"

namespace parallax {

/// A parameter that takes several values in one run, as a user typed it.
struct Sweep {
  std::string name;
  std::vector<std::string> list;  ///< A,B,C; empty where it is a range
  std::vector<double> range{};    ///< the steps of FIRST:LAST:xFACTOR
};

/// Reads NAME=FIRST:LAST:xFACTOR, NAME=FIRST:LAST:+STEP or NAME=A,B,C. LAST is taken where a step
/// meets it. Throws UsageError.
Sweep parse_sweep(const std::string& text);

/// The sweep's values of its parameter; steps of a whole number are rounded. Throws UsageError.
Series series_of(const Sweep& sweep, const Parameter& parameter);

/// Every set with every value of the series.
std::vector<Values> multiplied(const std::vector<Values>& sets, const Series& series);

}  // namespace parallax
