// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// dilepton_mass: its events from a file.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>

#include "dilepton_mass/edge_cases.hpp"
#include "dilepton_mass/upload.hpp"
#include "exercise/api.hpp"

namespace parallax::dilepton_mass {

/// What is read of the parameters' file: all of it, the first n, or the share of a rank.
inline data::EventLimits input_limits(const Parameters& p) {
  data::EventLimits limits;
  limits.slice_events = p.integer("input_slice");
  limits.first = p.share("n").begin;
  if (p.given("n") || p.division().ranks > 1) limits.events = p.integer("n");
  return limits;
}

/// The parameters' file, opened and judged.
inline std::shared_ptr<data::EventFile> open_input(const Parameters& p) {
  return std::make_shared<data::EventFile>(
      p.text("input"), data::EventLayout::parse(p.text("input_layout")), input_limits(p));
}

/// What is in the parameters' file: found once for each state of the file, since several cases ask.
inline data::EventExtent input_extent(const Parameters& p) {
  static std::map<std::string, data::EventExtent> known;
  std::error_code none;
  const auto time = std::filesystem::last_write_time(p.text("input"), none).time_since_epoch();
  const auto limits = input_limits(p);
  auto key = p.text("input") + '\n' + p.text("input_layout");
  for (const std::int64_t number :
       {limits.first, limits.events, limits.slice_events, std::int64_t{time.count()}})
    key += '\n' + std::to_string(number);
  const auto found = known.find(key);
  return found != known.end() ? found->second : known[key] = open_input(p)->extent();
}

/// What the file decides, so that results say what was run: n, and the mean number of leptons.
inline void resolve_input(Parameters& p) {
  const bool made = p.text("events") == "made";
  if (p.text("input").empty()) {
    for (const auto* name : {"input_layout", "input_slice"})
      if (p.given(name))
        throw UsageError(std::string("parameter '") + name + "' needs --input FILE.h5");
    if (!made) return;
  } else if (made) {
    throw UsageError("events=made are no events of a file: leave out one of it and --input");
  }
  for (const auto* name : {"mean", "giant_event"})
    if (p.given(name))
      throw UsageError(std::string("parameter '") + name + "' is of synthetic events; with " +
                       (made ? "events=made their list" : "--input the file") + " decides");
  p.replace("giant_event", std::int64_t{0});
  if (made) return p.replace("mean", made_mean);
  const auto extent = input_extent(p);
  if (extent.events_in_file == 0) throw UsageError("'" + p.text("input") + "' has no events");
  if (p.given("n") && extent.events < p.integer("n"))
    throw UsageError("n=" + p.text("n") + " is more than the " +
                     std::to_string(extent.events_in_file) + " events of '" + p.text("input") +
                     "'");
  if (!p.given("n")) p.replace("n", std::int64_t{extent.events});
  p.replace("mean", static_cast<double>(extent.leptons) / static_cast<double>(extent.events));
}

/// Ranks share a file's events, or those made at random.
inline void divide_events(Parameters& p) {
  if (p.text("events") == "made") throw UsageError("events=made are for one rank alone");
  if (!p.text("input").empty() && p.division().weak)
    throw UsageError("--scaling weak: the ranks can only divide the events of --input");
  elements_of("n")(p);
}

/// A slice in the space's memory and one in the host's, the masses of all events, the reference of
/// a slice, and what HDF5 keeps of chunks.
inline Memory input_memory(const Parameters& p, double scalar_bytes) {
  const auto extent = input_extent(p);
  const double leptons = static_cast<double>(extent.most_slice_leptons);
  const double events = static_cast<double>(extent.most_slice_events);
  const double columns = 4 * events + (1 + 3 * scalar_bytes) * leptons;
  const double host =
      columns + 16 * events + scalar_bytes * static_cast<double>(extent.events) + 100e6;
  return {.space = columns + scalar_bytes * events + 0.3 * leptons + host, .host = host};
}

/// What is reported of the file, after all ranks have read their parts.
inline Values numbers_of(const data::EventFile& file) {
  const auto unusable = file.unusable();
  std::int64_t numbers[] = {file.extent().leptons, file.extent().slices, unusable.total(),
                            unusable.not_finite,   unusable.negative_pt, unusable.charge,
                            unusable.out_of_range};
  ranks::sum(numbers, std::size(numbers));
  return {{"leptons", numbers[0]},
          {"slices", numbers[1]},
          {"unusable_leptons", numbers[2]},
          {"unusable_not_finite", numbers[3]},
          {"unusable_negative_pt", numbers[4]},
          {"unusable_charge", numbers[5]},
          {"unusable_out_of_range", numbers[6]}};
}

/// The columns where the host reads them.
template <class Space, class T>
auto host_copy(const data::Events<Space, T>& e) {
  return data::Events<Kokkos::DefaultHostExecutionSpace, T>{
      data::on_host(e.offsets), data::on_host(e.pt), data::on_host(e.eta), data::on_host(e.phi),
      data::on_host(e.charge)};
}

/// Both slices' verdicts in one: the largest error, the first failure's words.
inline Verdict both(const Verdict& first, Verdict second) {
  if (!first.passed) return first;
  if (second.passed) second.error = std::max(first.error, second.error);
  return second;
}

}  // namespace parallax::dilepton_mass
