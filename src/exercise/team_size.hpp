// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <string>

#include "exercise/parameters.hpp"
#include "platform/base/error.hpp"
#include "platform/device/space_info.hpp"
#include "platform/device/spaces.hpp"

namespace parallax {

namespace detail {
/// The kernel that asks for least: no other may have larger teams.
template <class Member>
struct Nothing {
  KOKKOS_FUNCTION void operator()(const Member&) const {}
};
}  // namespace detail

/// The largest team that Kokkos allows in this space. A kernel that needs many registers or much
/// scratch memory may have to take a smaller one.
template <class Space>
int largest_team() {
  using Policy = Kokkos::TeamPolicy<Space>;
  return Policy(Space{}, 1, 1)
      .team_size_max(detail::Nothing<typename Policy::member_type>{}, Kokkos::ParallelForTag{});
}

/// Throws UsageError that names the limit where `size` is above it.
template <class Space>
void require_team_size(int size) {
  if (size > 0 && size > largest_team<Space>())
    throw UsageError("--team-size " + std::to_string(size) + ": " + space_name<Space>() +
                     " has teams of 1 to " + std::to_string(largest_team<Space>()) +
                     " threads here");
}

/// Throws UsageError where the space has fewer threads.
template <class Space>
void require_threads(int threads) {
  if (threads > 0 && threads > Space{}.concurrency())
    throw UsageError("threads=" + std::to_string(threads) + " is more than the " +
                     std::to_string(Space{}.concurrency()) + " that " + space_name<Space>() +
                     " has here (OMP_NUM_THREADS or --kokkos-num-threads set it)");
}

/// The threads of a team: by --team-size, else `on_device` on a device. On a host one: a
/// core's work is a loop, and Serial allows no more.
template <class Space>
int team_size(const Parameters& parameters, int on_device = 256) {
  if (parameters.team_size() > 0) return parameters.team_size();
  return runs_on_host(space_name<Space>()) ? 1 : on_device;
}

}  // namespace parallax
