// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/results/json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "build_info.hpp"
#include "platform/base/statistics.hpp"
#include "platform/device/runtime.hpp"
#include "platform/host/host.hpp"
#include "platform/ranks/ranks.hpp"
#include "run/results/doubts.hpp"
#include "run/results/results.hpp"

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Values& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values)
    std::visit([&, &key = name](const auto& v) { object[key] = v; }, value);
  return object;
}

/// JSON has no NaN and no infinity: null says that there is no number.
Json finite(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }
Json finite(const std::optional<double>& x) { return x ? finite(*x) : Json(nullptr); }

/// The bandwidths by size of the working set, and the best of each level.
Json ladder_json(const Ceilings& c) {
  Json sizes = Json::object(), levels = Json::object();
  for (const auto& [kind, rungs] : c.ladder.kinds) {
    auto& list = sizes[kind] = Json::array();
    for (const auto& rung : rungs)
      list.push_back(
          {{"bytes", rung.bytes}, {"bytes_per_second", finite(rung.rate)}, {"unsure", !rung.sure}});
  }
  for (const auto& level : by_level(c)) {
    levels[level.level] = {{"bytes", level.bytes}};
    for (const auto& [kind, best] : level.best)
      levels[level.level][kind + "_bytes_per_second"] = best;
  }
  return {{"date", c.ladder.date}, {"host", c.ladder.host},
          {"kept", c.ladder.kept}, {"launch_ns", finite(1e9 / c.ladder.launch.rate)},
          {"levels", levels},      {"working_sets", sizes}};
}

/// Single accesses, atomic additions and copies across the bus, by the size of what they fall on.
Json accesses_json(const Ceilings& c) {
  Json json = {{"sector_bytes", sector_bytes(c.space)}};
  for (const auto& [kind, rungs] : c.ladder.accesses)
    for (const auto& rung : rungs)
      json[kind].push_back(
          {{"bytes", rung.bytes},
           {kind == name_of(Access::h2d) || kind == name_of(Access::d2h) ? "bytes_per_second"
                                                                         : "per_second",
            finite(rung.rate)},
           {"unsure", !rung.sure}});
  return json;
}

Json caches_json(const std::vector<Cache>& caches) {
  Json all = Json::array();
  for (const auto& cache : caches)
    all.push_back({{"level", cache.level}, {"bytes", cache.bytes}, {"count", cache.count}});
  return all;
}

Json ceilings_json(const Ceilings& c) {
  Json json = Json::object();
  if (!c.measured()) return {{"unavailable", c.unavailable}};
  for (const auto& field : ceiling_fields) {
    const std::string per_second = field.unit[0] == 'B' ? "_bytes_per_second" : "_flops_per_second";
    json[field.name + per_second] = c.*field.value > 0 ? finite(c.*field.value) : Json(nullptr);
  }
  json["array_bytes"] = c.array_bytes;
  json["unsure"] = c.unsure;
  if (!c.ladder.empty()) json["caches"] = ladder_json(c);
  if (!c.ladder.accesses.empty()) json["accesses"] = accesses_json(c);
  return json;
}

Json sources_json(const StateSources& sources) {
  const auto text = [](const std::string& s) { return s.empty() ? Json(nullptr) : Json(s); };
  Json json = {{"clock", text(sources.clock)}, {"power", text(sources.power)}};
  json["missing"] = sources.missing;
  if (sources.max_mhz) json["max_mhz"] = *sources.max_mhz;
  if (sources.time_stamp_mhz) json["time_stamp_counter_mhz"] = *sources.time_stamp_mhz;
  if (!sources.governor.empty()) json["governor"] = sources.governor;
  return json;
}

/// What the machine did meanwhile. Whatever is not known is null.
void add_state(Json& row, const Results& results, const RowResult& c) {
  const auto& [clock, power, disturbed, hit, twice] = c.state;
  row["clock"] = nullptr;
  if (clock)
    row["clock"] = {{"mhz", finite(clock->mhz)},
                    {"best_mhz", finite(best_mhz(results, c))},
                    {"source", clock->source},
                    {"reported_mhz", finite(clock->reported_mhz)}};
  row["power"] = nullptr;
  if (power) {
    row["power"] = {{"watts", finite(power->watts)}, {"celsius", finite(power->celsius)}};
    row["power"]["throttled"] = power->throttled ? Json(*power->throttled) : Json(nullptr);
  }
  if (!disturbed.empty()) row["disturbed"] = disturbed;
  if (!hit.empty()) row["hit_samples"] = hit;
  if (twice) row["sampled_twice"] = true;
}

/// The fields of all parts and of each are the same.
Json energy_json(const RowResult& c) {
  const auto fields = [&](const EnergyPart& part) {
    Json json = {{"joules_per_run", finite(part.joules)},
                 {"interval", nullptr},
                 {"above_idle_joules_per_run", finite(part.above_idle)},
                 {"joules_per_item", nullptr},
                 {"idle_watts", finite(part.idle_watts)},
                 {"readings", part.readings}};
    if (part.interval) json["interval"] = {finite(part.interval->low), finite(part.interval->high)};
    if (c.work.items > 0) json["joules_per_item"] = finite(part.joules / c.work.items);
    return json;
  };
  Json json = fields(c.energy->total());
  json["seconds"] = finite(c.energy->seconds);
  json["runs"] = c.energy->runs;
  for (const auto& part : c.energy->parts) {
    json["parts"][part.name] = fields(part);
    json["parts"][part.name]["source"] = part.source;
  }
  return json;
}

Json links_json(const Links& links) {
  Json json = Json::array();
  for (const auto& link : links)
    json.push_back({{"bytes", link.bytes},
                    {"one_way_ns", link.one_way},
                    {"both_ways_ns", link.both_ways},
                    {"all_reduce_ns", link.all_reduce},
                    {"all_to_all_ns", link.all_to_all}});
  return json;
}

Json mpi_json(const Results& results) {
  Json transports = Json::object();
  for (const auto& [space, route] : results.machine.routes) {
    const auto& [way, refused] = route.choice;
    Json why = Json::object();
    for (const auto& other : refused) why[other.name] = other.refusal;
    transports[space] = {
        {"name", way.name}, {"by", way.by}, {"refused", why}, {"links", links_json(route.links)}};
  }
  return {{"library", ranks::library()},
          {"ranks", results.machine.ranks},
          {"links", links_json(results.machine.links)},
          {"transports", transports}};
}

Json messages_json(const std::vector<Message>& messages) {
  Json json = Json::array();
  for (const auto& message : messages) {
    json.push_back({{"pattern", name_of(message.pattern)}, {"bytes", message.bytes}});
    if (message.from_host) json.back()["from_host"] = true;
  }
  return json;
}

Json context_json(const Results& results) {
  double load[3] = {0, 0, 0};
  const int loads = std::max(getloadavg(load, 3), 0);
  Json context = {{"date", now()},
                  {"host_name", host_name()},
                  {"executable", results.executable},
                  {"num_cpus", std::thread::hardware_concurrency()},
                  {"mhz_per_cpu", 0},
                  {"cpu_scaling_enabled", false},
                  {"caches", Json::array()},
                  {"load_avg", std::vector<double>(load, load + loads)},
                  {"library_version", std::string("parallax ") + build_info::version},
                  {"library_build_type", build_info::build_type},
                  {"json_schema_version", 1},
                  {"program", "kokkos"},
                  {"parallax_version", build_info::version},
                  {"git", build_info::git},
                  {"command_line", results.command_line},
                  {"kokkos_version", runtime::version()},
                  {"kokkos_kernels_version", build_info::kokkos_kernels_version},
                  {"compiler", build_info::compiler},
                  {"flags", build_info::flags},
                  {"slurm_job_id", environment("SLURM_JOB_ID")},
                  {"site", environment("PARALLAX_SITE").empty() ? environment("SLURM_CLUSTER_NAME")
                                                                : environment("PARALLAX_SITE")},
                  {"mpi_ranks", ranks::size()},
                  {"complete", results.complete}};
  if (!results.machine.ranks.empty()) context["mpi"] = mpi_json(results);
  Json spaces = Json::object();
  for (const auto& s : results.machine.spaces) {
    Json space = {{"device", s.device},
                  {"on_host", s.on_host},
                  {"concurrency", s.concurrency},
                  {"memory_total", s.memory_total}};
    if (s.places > 0) space["places"] = s.places;
    if (!s.binding.empty()) space["binding"] = s.binding;
    if (const auto found = results.machine.caches.find(s.name);
        found != results.machine.caches.end())
      space["caches"] = caches_json(found->second);
    for (const auto& c : results.machine.ceilings)
      if (c.space == s.name) space["ceilings"] = ceilings_json(c);
    if (const auto found = results.state_sources.find(s.name); found != results.state_sources.end())
      space["state"] = sources_json(found->second);
    spaces[s.name] = space;
  }
  context["spaces"] = spaces;
  for (const auto& [part, value] : results.seconds) context["seconds"][part] = value;
  // To the millisecond, and without what took none.
  for (const auto& [exercise, parts] : results.exercise_seconds)
    for (const auto& [part, value] : parts)
      if (const double rounded = std::round(1e3 * value) / 1e3; rounded > 0)
        context["exercise_seconds"][exercise][part] = rounded;
  return context;
}

void add_times(Json& row, const Results& results, const RowResult& c) {
  const auto& real = c.samples.real_ns;
  const double seconds = c.median_ns() * 1e-9;
  row["repetitions"] = real.size();
  row["repetition_index"] = 0;
  row["threads"] = 1;
  row["iterations"] = c.samples.iterations;
  row["real_time"] = c.median_ns();
  row["cpu_time"] = median(c.samples.cpu_ns);
  row["time_unit"] = "ns";
  row["min_time"] = *std::min_element(real.begin(), real.end());
  row["max_time"] = *std::max_element(real.begin(), real.end());
  row["samples"] = real;
  if (!c.samples.ranks_ns.empty()) row["rank_samples"] = c.samples.ranks_ns;
  if (c.link_ns > 0) row["percent_of_link"] = finite(c.percent_of_link());
  const auto interval = median_interval(real);
  row["interval"] = interval ? Json{interval->low, interval->high} : Json(nullptr);
  if (!c.samples.seen_ns.empty()) row["seen_time"] = median(c.samples.seen_ns);
  if (!c.samples.event_ns.empty()) row["event_time"] = median(c.samples.event_ns);
  row["bytes_per_second"] = finite(c.work.bytes / seconds);
  row["flops_per_second"] = finite(c.work.flops / seconds);
  row["items_per_second"] = finite(c.work.items / seconds);
  if (!c.bound.name.empty()) {
    row["ceiling"] = c.bound.name;
    row["percent_of_ceiling"] = finite(c.percent_of_ceiling());
    if (!c.bound.level.empty()) row["ceiling_level"] = c.bound.level;
    if (c.bound.unsure) row["ceiling_unsure"] = true;
    if (const auto why = above_ceiling(c); !why.empty()) row["above_ceiling"] = why;
    if (!c.bound.without_atomics.empty()) {
      row["ceiling_without_atomics"] = c.bound.without_atomics;
      row["percent_without_atomics"] = finite(c.percent_without_atomics());
    }
  }
  add_state(row, results, c);
  if (!c.energy) return;
  row["energy"] = c.energy->missing.empty() ? energy_json(c) : Json(nullptr);
  if (!c.energy->missing.empty()) row["energy_missing"] = c.energy->missing;
}

Json row_json(const Results& results, std::size_t index) {
  const RowResult& c = results.cases[index];
  const auto caches = results.machine.caches.find(c.space);
  Json row = {{"name", c.name()},
              {"family_index", index},
              {"per_family_instance_index", 0},
              {"run_name", c.name()},
              // Google Benchmark's compare.py stops at a row without times unless it is called an
              // aggregate, and sets no row beside another of an unknown unit.
              {"run_type", c.samples.real_ns.empty() ? "aggregate" : "iteration"},
              {"time_unit", nullptr},
              {"exercise", c.exercise},
              {"variant", c.variant},
              {"space", c.space},
              {"precision", c.precision},
              {"phase", c.phase},
              {"tier", name_of(c.tier)},
              {"parameters", to_json(c.parameters)}};
  if (c.threads > 0) row["space_threads"] = c.threads;
  if (c.division.ranks > 1) {
    row["ranks"] = c.division.ranks;
    row["scaling"] = c.division.weak ? "weak" : "strong";
  }
  if (c.set.cold) row["cold"] = true;
  if (!c.unavailable.empty()) {
    row["skipped"] = true;
    row["skip_message"] = c.unavailable;
    return row;
  }
  if (!c.samples.real_ns.empty()) add_times(row, results, c);
  row["bytes"] = c.work.bytes;
  row["flops"] = c.work.flops;
  row["items"] = c.work.items;
  if (c.division.ranks > 1) row["messages"] = messages_json(c.work.messages);
  if (c.set.bytes > 0) {
    row["working_set"] = c.set.bytes;
    if (caches != results.machine.caches.end() && !caches->second.empty())
      row["fits_in"] = level_that_holds(c.set.bytes, caches->second);
  }
  row["expected_to_fail"] = c.expected_to_fail;
  row["other_work"] = c.other_work;
  if (c.team_size > 0) row["team_size"] = c.team_size;
  if (c.tuned_for_this_machine) row["tuned_for_this_machine"] = true;
  if (c.verdict) {
    row["verified"] = c.verdict->passed;
    row["check"] = {{"compared", c.verdict->compared},
                    {"error", finite(c.verdict->error)},
                    {"tolerance", finite(c.verdict->tolerance)}};
    if (c.cause) {
      row["check"]["cause"] = c.cause->what;
      row["check"]["detail"] = c.cause->detail;
    }
    if (c.launches) row["launches"] = *c.launches;
    row["result"] = to_json(c.verdict->result);
    if (!c.bits.empty()) row["bits"] = c.bits;
    // Google Benchmark's tools leave rows that say so out of their comparisons.
    row["error_occurred"] = c.failed();
    if (c.failed()) row["error_message"] = "check failed: " + c.verdict->compared;
  }
  return row;
}

}  // namespace

std::string to_json(const Results& results) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < results.cases.size(); ++i) rows.push_back(row_json(results, i));
  const Json file = {{"context", context_json(results)}, {"benchmarks", rows}};
  // Names may hold whatever the user typed: replace what is not UTF-8 rather than stop.
  return file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parallax
