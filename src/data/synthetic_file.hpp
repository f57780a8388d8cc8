// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "data/event_writer.hpp"

namespace parallax::data {

/// Which synthetic events (events.hpp).
struct SyntheticEvents {
  std::int64_t seed, events;
  double mean;
  std::int64_t giant_event;  ///< leptons of one event in the middle; 0: none
};

/// Makes the events in the host's default space, slice by slice, and writes them. `progress` is
/// called with the number of events done so far, and may throw. Returns the number of leptons.
std::int64_t write_synthetic(const std::string& path, const EventFormat& format,
                             const SyntheticEvents& events,
                             const std::function<void(std::int64_t)>& progress);

}  // namespace parallax::data
