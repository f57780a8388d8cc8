// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace parallax {

struct Results;

/// What each exercise found, a line for each: its answer, with a range where rows differ.
std::string what_was_computed(const Results& results);
/// Where the time went, the ceilings that the rows were held against, and how many times faster the
/// best variant is in one space than in another.
std::string footer(const Results& results);
/// With threads, ranks, links, every ceiling, and both sides' device and thread count spelt out.
std::string full_footer(const Results& results);

}  // namespace parallax
