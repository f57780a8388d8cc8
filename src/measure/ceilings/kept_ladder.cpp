// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/ceilings/kept_ladder.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "measure/ceilings/machine_cache.hpp"
#include "measure/ceilings/measure_ladder.hpp"
#include "platform/base/error.hpp"

namespace parallax {
namespace {

const char* const file_kind = "ceilings";

/// No core moves a terabyte a second, a GPU's caches are less than a hundred times as fast as its
/// memory, and no cache is much slower than what this run has measured in memory.
bool is_plausible(const Ladder& ladder, const SpaceInfo& space, double triad) {
  double best = 0, fastest = ladder.launch.rate;
  for (const auto& rung : ladder.kinds.at("triad")) best = std::max(best, rung.rate);
  for (const auto* kinds : {&ladder.kinds, &ladder.accesses})
    for (const auto& [kind, rungs] : *kinds)
      for (const auto& rung : rungs) fastest = std::max(fastest, rung.rate);
  const double most = space.on_host ? 1e12 * space.concurrency : 100 * std::max(triad, 1e12);
  return fastest <= most && best >= triad / 4;
}

}  // namespace

Ladder kept_ladder(const SpaceInfo& space, const std::vector<Cache>& caches, bool fresh,
                   double triad) {
  const auto key = ladder_key(space, caches);
  bool keeps = !cache_folder().empty();
  const auto say = [](const std::string& what) {
    std::fprintf(stderr, "parallax: %s\n", one_line(what).c_str());
  };
  Ladder earlier;
  if (keeps && !fresh) {
    try {
      if (const auto json = read_cache(file_kind, space, key); !json.is_null()) {
        const auto kept = ladder_of(json);
        if (!kept) throw MachineError("'" + cache_file(file_kind, space, key) + "' is damaged");
        if (!is_plausible(*kept, space, triad))
          throw MachineError("the rates in '" + cache_file(file_kind, space, key) +
                             "' are none of this machine");
        // A run with little memory may have kept a short one.
        if (2 * kept->kinds.begin()->second.back().bytes >= ladder_top(space, caches)) {
          if (kept->sure()) return *kept;
          earlier = *kept;
        }
      }
    } catch (const MachineError& why) {
      say(std::string(why.what()) + ": the ceilings of caches are measured again");
      std::error_code none;
      keeps = std::filesystem::is_regular_file(cache_file(file_kind, space, key), none);
    }
  }
  auto ladder = measure_ladder(space, caches, earlier);
  if (ladder.empty() || ladder.accesses.empty()) return earlier.empty() ? ladder : earlier;
  if (!keeps) return ladder;
  if (!earlier.empty()) {
    ladder.date = earlier.date;
    ladder.host = earlier.host;
    ladder.kept = true;
  }
  try {
    write_cache(file_kind, space, json_of(ladder), key);
  } catch (const MachineError& why) {
    say("the ceilings of caches are not kept: " + std::string(why.what()));
  }
  return ladder;
}

}  // namespace parallax
