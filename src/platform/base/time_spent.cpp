// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/base/time_spent.hpp"

#include <array>
#include <chrono>

namespace parallax::time_spent {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array names{"inputs",   "references", "copies",   "checks", "watch",
                           "verified", "samples",    "ceilings", "other"};
std::array<Clock::duration, names.size()> spent{};
Part current = Part::other;
Clock::time_point since = Clock::now();

/// Begins to count for `part`; returns what was counted for.
Part enter(Part part) {
  const auto now = Clock::now();
  spent[static_cast<std::size_t>(current)] += now - since;
  since = now;
  return std::exchange(current, part);
}

}  // namespace

Timer::Timer(Part part) : outer_(enter(part)) {}
Timer::~Timer() { enter(outer_); }

Breakdown so_far() {
  enter(current);
  Breakdown all;
  for (std::size_t k = 0; k < names.size(); ++k)
    all.emplace_back(names[k], std::chrono::duration<double>(spent[k]).count());
  return all;
}

}  // namespace parallax::time_spent
