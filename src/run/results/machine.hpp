// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "measure/ceilings/ceilings.hpp"
#include "measure/ceilings/links.hpp"
#include "platform/device/caches.hpp"
#include "platform/device/space_info.hpp"
#include "platform/ranks/routes.hpp"

namespace parallax {

/// How the arrays of a space go from rank to rank, and what that way takes; nothing is measured
/// where it is the hosts' own.
struct Route {
  transport::Choice choice;
  Links links;
};

/// The machine of a run: what its rows are held against.
struct Machine {
  std::vector<SpaceInfo> spaces;
  std::vector<Ceilings> ceilings;
  std::map<std::string, std::vector<Cache>> caches;  ///< by space
  std::vector<std::string> ranks;                    ///< where each runs, of several
  Links links;                                       ///< from host to host
  std::map<std::string, Route> routes;               ///< by space, of several ranks
};

}  // namespace parallax
