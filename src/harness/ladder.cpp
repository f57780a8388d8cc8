// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "harness/ladder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "build_info.hpp"
#include "harness/error.hpp"
#include "harness/files.hpp"
#include "harness/runtime.hpp"

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// FNV-1a: the same in every build, unlike std::hash.
std::string hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3u;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

Json to_json(const Rung& rung) { return Json::array({rung.bytes, rung.rate, rung.sure}); }
Json to_json(const std::map<std::string, std::vector<Rung>>& kinds) {
  Json json = Json::object();
  for (const auto& [kind, rungs] : kinds)
    for (const auto& rung : rungs) json[kind].push_back(to_json(rung));
  return json;
}

/// Throws Json's exceptions, or std::exception, for what is no rung.
Rung rung_of(const Json& json) {
  const Rung rung{json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<bool>()};
  if (!std::isfinite(rung.rate) || rung.rate <= 0 || !std::isfinite(rung.bytes) || rung.bytes < 0)
    throw std::range_error("no rate");
  return rung;
}

/// Throws for what is empty or not sorted by size.
std::vector<Rung> rungs_of(const Json& json) {
  std::vector<Rung> rungs;
  for (const auto& rung : json) {
    rungs.push_back(rung_of(rung));
    const auto size = rungs.size();
    if (rungs.back().bytes <= (size > 1 ? rungs[size - 2].bytes : 0))
      throw std::range_error("not sorted");
  }
  if (rungs.empty()) throw std::range_error("no rung");
  return rungs;
}

}  // namespace

void Rounds::add(double rate) {
  if (!std::isfinite(rate) || rate <= best_) {
    if (std::isfinite(rate)) second_ = std::max(second_, rate);
    return;
  }
  second_ = best_;
  best_ = rate;
}

Rung rung_at(const std::vector<Rung>& rungs, double bytes) {
  const auto above = std::find_if(rungs.begin(), rungs.end(),
                                  [&](const Rung& rung) { return rung.bytes >= bytes; });
  if (above == rungs.end()) return {bytes, rungs.back().rate, rungs.back().sure};
  if (above == rungs.begin() || above->bytes == bytes) return {bytes, above->rate, above->sure};
  const auto below = std::prev(above);
  const double share = std::log(bytes / below->bytes) / std::log(above->bytes / below->bytes);
  return {bytes, below->rate * std::pow(above->rate / below->rate, share),
          below->sure && above->sure};
}

std::string ladder_key(const SpaceInfo& space, const std::vector<Cache>& caches) {
  std::string key = "format 2; parallax " + std::string(build_info::version) + "; Kokkos " +
                    runtime::version() + "; " + build_info::compiler + " " + build_info::flags +
                    "; " + space.name + "; " + space.device;
  if (space.on_host)
    key += "; threads " + std::to_string(space.concurrency) + ", places " +
           std::to_string(space.places);
  else
    key += "; memory " + std::to_string(static_cast<long long>(space.memory_total)) + "; " +
           driver_of(space);
  for (const auto& cache : caches)
    key += "; " + cache.name() + " " + std::to_string(cache.count) + " x " +
           std::to_string(static_cast<long long>(cache.bytes));
  return key;
}

std::string cache_folder() {
  if (const auto ours = environment("PARALLAX_CACHE"); !ours.empty()) return ours;
  // A relative one is to be ignored, says the XDG specification.
  if (const auto xdg = environment("XDG_CACHE_HOME"); !xdg.empty() && xdg[0] == '/')
    return xdg + "/parallax";
  const auto home = environment("HOME");
  return home.empty() ? "" : home + "/.cache/parallax";
}

std::string ladder_file(const std::string& folder, const SpaceInfo& space, const std::string& key) {
  return folder + "/ceilings-" + space.name + "-" + hash_of(key) + ".json";
}

std::string to_text(const Ladder& ladder, const std::string& key) {
  const Json file = {{"key", key},
                     {"date", ladder.date},
                     {"host", ladder.host},
                     {"launch", to_json(ladder.launch)},
                     {"bytes_per_second", to_json(ladder.kinds)},
                     {"accesses_per_second", to_json(ladder.accesses)}};
  return file.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<Ladder> ladder_of(const std::string& text, const std::string& key) {
  try {
    const Json file = Json::parse(text);
    // The key may hold what is not UTF-8, which was replaced when it was written.
    const Json ours = Json::parse(Json(key).dump(-1, ' ', false, Json::error_handler_t::replace));
    if (file.at("key") != ours) return {};
    Ladder ladder;
    ladder.date = file.at("date").get<std::string>();
    ladder.host = file.at("host").get<std::string>();
    ladder.launch = rung_of(file.at("launch"));
    for (const char* kind : ladder_kinds)
      ladder.kinds[kind] = rungs_of(file.at("bytes_per_second").at(kind));
    for (const Access kind : all_accesses) {
      const auto& rates = file.at("accesses_per_second");
      const bool link = kind == Access::h2d || kind == Access::d2h;  // not on hosts
      if (!link || rates.contains(name_of(kind)))
        ladder.accesses[name_of(kind)] = rungs_of(rates.at(name_of(kind)));
    }
    ladder.kept = true;
    return ladder;
  } catch (const std::exception&) {
    return {};
  }
}

Ladder kept_ladder(const SpaceInfo& space, const std::vector<Cache>& caches, bool fresh) {
  const auto key = ladder_key(space, caches), folder = cache_folder();
  const auto file = ladder_file(folder, space, key);
  const auto say = [](const std::string& what) {
    std::fprintf(stderr, "parallax: %s\n", one_line(what).c_str());
  };
  std::error_code error;
  if (!folder.empty() && !fresh && std::filesystem::exists(file, error)) {
    try {
      auto kept = ladder_of(read_file(file), key);
      // A run with little memory may have kept a short one.
      if (kept && 2 * kept->kinds.begin()->second.back().bytes >= ladder_top(space, caches))
        return *kept;
      if (!kept)
        say("'" + file + "' holds no ceilings of this machine and build: they are measured again");
    } catch (const MachineError& unreadable) {
      say(std::string(unreadable.what()) + ": the ceilings of caches are measured again");
    }
  }
  const auto ladder = measure_ladder(space, caches);
  if (ladder.empty() || ladder.accesses.empty() || folder.empty()) return ladder;
  try {
    std::filesystem::create_directories(folder, error);
    write_file(file, to_text(ladder, key));
  } catch (const MachineError& why) {
    say("the ceilings of caches are not kept: " + std::string(why.what()));
  }
  return ladder;
}

}  // namespace parallax
