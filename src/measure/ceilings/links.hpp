// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "exercise/exercise.hpp"
#include "platform/ranks/routes.hpp"

namespace parallax {

/// What messages of one size take between the ranks of this run: the least of several rounds, ns.
struct LinkTimes {
  double bytes = 0;
  double one_way = 0;     ///< half of a ping-pong between rank 0 and the last
  double both_ways = 0;   ///< both send to each other at once
  double all_reduce = 0;  ///< a sum of the bytes over all ranks
  double all_to_all = 0;  ///< the bytes from each rank to each
};

/// In the order of their sizes; empty for one rank.
using Links = std::vector<LinkTimes>;

/// From the memory of a space to the same of other ranks, by one way. Called by all ranks.
Links measure_links(const transport::Way& way);

/// As results files have it (docs/results.md).
const char* name_of(Message::Pattern pattern);

/// The least time that a row's messages allow, from the host's memory and from its space's,
/// ns; NaN where it sends none or nothing is known.
double least_time(const Links& host, const Links& space, const std::vector<Message>& messages);

/// "one way 263 ns for 8 B, 12 GB/s for 2.1 MB; a sum over all ranks 783 ns for 8 B"
std::string summary(const Links& links);
/// A line for each size, for `parallax info`.
std::string described(const Links& links);

}  // namespace parallax
