// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/ceilings/kept_ladder.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "measure/ceilings/machine_cache.hpp"
#include "measure/ceilings/measure_ladder.hpp"
#include "platform/base/error.hpp"

namespace parallax {
namespace {

const char* const file_kind = "ceilings";

}  // namespace

Ladder kept_ladder(const SpaceInfo& space, const std::vector<Cache>& caches, bool fresh) {
  const auto key = ladder_key(space, caches);
  const bool keeps = !cache_folder().empty();
  const auto say = [](const std::string& what) {
    std::fprintf(stderr, "parallax: %s\n", one_line(what).c_str());
  };
  Ladder earlier;
  if (keeps && !fresh) {
    try {
      if (const auto json = read_cache(file_kind, space, key); !json.is_null()) {
        const auto kept = ladder_of(json);
        if (!kept) throw MachineError("'" + cache_file(file_kind, space, key) + "' is damaged");
        // A run with little memory may have kept a short one.
        if (2 * kept->kinds.begin()->second.back().bytes >= ladder_top(space, caches)) {
          if (kept->sure()) return *kept;
          earlier = *kept;
        }
      }
    } catch (const MachineError& why) {
      say(std::string(why.what()) + ": the ceilings of caches are measured again");
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
