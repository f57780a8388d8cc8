// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/exercise.hpp"

namespace parallax {

/// What messages of one size take between the ranks of this run, from host memory to host memory:
/// the least of several rounds, ns.
struct LinkTimes {
  double bytes = 0;
  double one_way = 0;     ///< half of a ping-pong between rank 0 and the last
  double both_ways = 0;   ///< both send to each other at once
  double all_reduce = 0;  ///< a sum of so many bytes over all ranks
  double all_to_all = 0;  ///< so many bytes from each rank to each
};

/// In the order of their sizes; empty for one rank.
using Links = std::vector<LinkTimes>;

/// Called by all ranks.
Links measure_links();

/// As results files have it (docs/results.md).
const char* name_of(Message::Pattern pattern);

/// The least time that a row's messages allow, ns; NaN where it sends none or nothing is known.
double least_time(const Links& links, const std::vector<Message>& messages);

/// A line for each size, for `parallax info`.
std::string described(const Links& links);

}  // namespace parallax
