// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/ceilings/ladder.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "build_info.hpp"
#include "measure/ceilings/machine_cache.hpp"
#include "platform/base/error.hpp"

namespace parallax {
namespace {

using Json = nlohmann::json;

Json json_of(const Rung& rung) { return Json::array({rung.bytes, rung.rate, rung.sure}); }
Json json_of(const std::map<std::string, std::vector<Rung>>& kinds) {
  Json json = Json::object();
  for (const auto& [kind, rungs] : kinds)
    for (const auto& rung : rungs) json[kind].push_back(json_of(rung));
  return json;
}

/// Throws Json's exceptions, or std::exception, for what is no rung.
Rung rung_of(const Json& json) {
  const Rung rung{json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<bool>()};
  if (!std::isfinite(rung.rate) || rung.rate <= 0 || !std::isfinite(rung.bytes) || rung.bytes < 0)
    throw std::range_error("no rate");
  return rung;
}

/// For a terminal.
std::string line_of(const Json& json) { return one_line(json.get<std::string>()); }

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

bool Ladder::sure() const {
  bool all = launch.sure && kinds.size() == std::size(ladder_kinds);
  for (const auto* rates : {&kinds, &accesses})
    for (const auto& [kind, rungs] : *rates)
      for (const auto& rung : rungs) all = all && rung.sure;
  return all;
}

Rounds rounds_at(const std::vector<Rung>& rungs, double bytes) {
  for (const auto& rung : rungs)
    if (rung.bytes == bytes) return Rounds(rung);
  return {};
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
  std::string key = "format 3; parallax " + std::string(build_info::version) + "; " +
                    build_info::compiler + " " + build_info::flags;
  if (space.on_host)
    key += "; places " + std::to_string(space.places);
  else
    key += "; memory " + std::to_string(static_cast<long long>(space.memory_total)) + "; " +
           driver_of(space);
  for (const auto& cache : caches)
    key += "; " + cache.name() + " " + std::to_string(cache.count) + " x " +
           std::to_string(static_cast<long long>(cache.bytes));
  return key;
}

std::string hash_of_rates(const Json& json) {
  std::string text;
  for (const char* field : {"date", "host", "launch", "bytes_per_second", "accesses_per_second"})
    text += json.at(field).dump(-1, ' ', true, Json::error_handler_t::replace);
  return hash_of(text);
}

Json json_of(const Ladder& ladder) {
  Json json = {{"date", ladder.date},
               {"host", ladder.host},
               {"launch", json_of(ladder.launch)},
               {"bytes_per_second", json_of(ladder.kinds)},
               {"accesses_per_second", json_of(ladder.accesses)}};
  json["hash"] = hash_of_rates(json);
  return json;
}

std::optional<Ladder> ladder_of(const Json& json) {
  try {
    Ladder ladder;
    if (json.at("hash") != hash_of_rates(json)) return {};
    ladder.date = line_of(json.at("date"));
    ladder.host = line_of(json.at("host"));
    ladder.launch = rung_of(json.at("launch"));
    for (const std::string kind : ladder_kinds) {
      const auto& rates = json.at("bytes_per_second");
      if (kind != "update" || rates.contains(kind))  // not in files of Parallax 1.0.0
        ladder.kinds[kind] = rungs_of(rates.at(kind));
    }
    for (const Access kind : all_accesses) {
      const auto& rates = json.at("accesses_per_second");
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

double ladder_top(const SpaceInfo& space, const std::vector<Cache>& caches) {
  return std::min(last_level_bytes(caches) * (space.on_host ? 1 : 2),
                  std::max(space.memory_free / 16, 65536.0));
}

}  // namespace parallax
