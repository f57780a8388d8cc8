// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platform/ranks/transport.hpp"

namespace parallax {

/// What messages of one size take between the ranks of this run, many in a row: the least of
/// several rounds, ns.
struct LinkTimes {
  double bytes = 0;
  double one_way = 0;     ///< half of a ping-pong between rank 0 and the last
  double both_ways = 0;   ///< both send to each other at once
  double all_reduce = 0;  ///< a sum of the bytes over all ranks
  double all_to_all = 0;  ///< the bytes from each rank to each
};

/// In the order of their sizes; empty for one rank.
using Links = std::vector<LinkTimes>;

/// From the memory of a space to the same of other ranks, by one way, for messages of up to `most`
/// bytes: at most 2 MiB on hosts, and on devices as far as there is memory and none takes 50 ms.
/// Called by all ranks.
Links measure_links(Transport& way, const std::string& space, std::size_t most);

}  // namespace parallax
