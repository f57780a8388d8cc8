// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/row_runner.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include "exercise/guard_zones.hpp"
#include "measure/verify/diagnosis.hpp"
#include "measure/verify/watcher.hpp"
#include "platform/base/error.hpp"
#include "platform/base/interrupt.hpp"
#include "platform/base/time_spent.hpp"
#include "platform/ranks/ranks.hpp"

namespace parallax {
namespace {

/// At most what a row must move, and at most the arrays of its plan.
WorkingSet working_set(const Row& row, bool cold) {
  if (row.work.traffic == Traffic::bus || row.work.bytes <= 0) return {0, cold};
  double arrays = 0;
  if (row.arrays)
    for (const auto& a : *row.arrays) arrays += static_cast<double>(a.bytes);
  return {arrays > 0 ? std::min(arrays, row.work.bytes) : row.work.bytes, cold};
}

}  // namespace

double times_the_possible(const RowResult& r, const SpaceInfo& space) {
  const double done = std::max(r.work.bytes, r.work.flops);
  if (space.on_host)
    return std::max(done, r.work.items) / (1e3 * space.concurrency * r.median_ns());
  const double items = r.work.items / (1e6 * r.median_ns());
  if (r.bound.unsure || r.bound.name.empty()) return items;
  return std::max(items, std::min(r.percent_of_ceiling() / 10'000, done / (1e4 * r.median_ns())));
}

void RowRunner::prepare() {
  if (options_.cold)
    for (const auto& info : machine_.spaces) flushes_.emplace(info.name, Flush(info));
  if (options_.energy) energy_.emplace(machine_.spaces, options_.energy_time);
}

void RowRunner::measure_idle_power() {
  if (!energy_) return;
  const time_spent::Timer resting(time_spent::Part::samples);
  energy_->measure_idle();
}

std::map<std::string, StateSources> RowRunner::state_sources() const {
  std::map<std::string, StateSources> sources;
  for (const auto& [space, state] : states_) sources[space] = state->sources();
  return sources;
}

RowResult RowRunner::run(const Case& c, const Row& row, bool cold) {
  RowResult r;
  r.exercise = c.exercise->name;
  r.variant = row.variant;
  r.space = c.specialization->space;
  r.precision = c.specialization->precision;
  r.phase = row.phase;
  r.parameters = c.parameters.values();
  r.suffix = c.suffix;
  r.answer = c.exercise->answer;
  r.threads = c.parameters.threads();
  r.work = row.work;
  r.set = working_set(row, cold);
  r.expected_to_fail = row.expected_to_fail;
  for (const auto& v : c.exercise->variants)
    if (v.name == row.variant) {
      r.other_work = v.other_work;
      r.tier = v.tier;
    }
  r.team_size = row.team_size;
  r.tuned_for_this_machine = c.tuned_for_this_machine;
  r.division = {ranks::rank(), ranks::size(), options_.weak};
  r.unavailable = row.unavailable;
  if (!r.unavailable.empty()) return r;
  try {
    Trial last;
    judge_and_time(r, row, c.parameters.team_size() > 0, last);
    if (ranks::several()) join(r, row.work);
    if (energy_ && !r.samples.real_ns.empty() && !interrupted()) {
      const time_spent::Timer counting(time_spent::Part::samples);
      r.energy = energy_->measure(row, r, *states_.at(r.space));
    }
    if (options_.diagnose && r.failed()) r.cause = diagnose(row, {*r.verdict, last.touched});
    if (options_.diagnose && r.verified()) {
      if (row.prepare) row.prepare();
      r.launches = launches_of(row.run);
    }
  } catch (const std::exception& error) {
    if (!is_out_of_memory(error)) throw;
    throw MachineError(r.name() + ": memory ran out; choose a smaller --size or --set");
  }
  return r;
}

/// `last` is the last verified run.
void RowRunner::judge_and_time(RowResult& r, const Row& row, bool team_size_chosen, Trial& last) {
  for (std::int64_t k = 0; k < options_.verify_repeat && (k == 0 || r.verified()); ++k) {
    // Every second run begins with finite numbers: a kernel that looks for the poison is seen.
    last = try_once(row, {}, {}, k % 2 == 0 ? Before::poison : Before::finite);
    last.ns = ranks::largest(last.ns);
    r.verdict = judged(last);
    if (!ranks::several()) r.bits = last.hashes;
  }
  // A size that the user chose may be too large for one kernel; its own must not be.
  if (team_size_chosen && row.team_size > 0 && is_about_teams(*r.verdict)) {
    r.unavailable = "teams of " + std::to_string(row.team_size) +
                    " are too large for this kernel: " + thrown(*r.verdict);
    r.verdict.reset();
    return;
  }
  // A wrong kernel has no speed: its time would only mislead.
  if (options_.verify_only || r.failed()) return;
  const auto& space = *std::find_if(machine_.spaces.begin(), machine_.spaces.end(),
                                    [&](const SpaceInfo& info) { return info.name == r.space; });
  TimingOptions timing = options_.timing;
  timing.device = !space.on_host;
  if (last.ns >= slow_ns && !timing.warmup_given) timing.warmup = 0;
  if (r.set.cold) {
    timing.flush = flushes_.at(r.space);
    timing.min_time = 0;  // emptying takes far longer than most rows
  }
  auto& state = states_[r.space];
  if (!state) state = std::make_unique<MachineState>(r.space, space.on_host);
  const auto take_samples = [&] {
    const time_spent::Timer timed(time_spent::Part::samples);
    auto watched = measure_watched(*state, r.threads, row.run, row.prepare, timing);
    r.samples = std::move(watched.samples);
    r.state = std::move(watched.state);
  };
  // Of a run of seconds the only sample is also the second verified run.
  const bool one_sample =
      last.ns >= very_slow_ns && timing.warmup == 0 && !timing.repeat_given && !timing.flush;
  if (one_sample)
    last = try_once(row, {}, take_samples);
  else
    take_samples();
  if (r.samples.interrupted) return;
  // The time of a kernel that works only once means nothing, nor of one that does less where an
  // earlier result is left.
  if (!one_sample || r.samples.real_ns.size() > 1) last = try_once(row, {}, {}, Before::finite);
  if (auto again = judged(last); !again.passed && !row.expected_to_fail) {
    again.compared = "right at first, but not after the samples: " + again.compared;
    r.verdict = again;
    r.samples = {};
    return;
  }
  for (const auto& ceilings : machine_.ceilings)
    if (ceilings.space == r.space) r.bound = bound(ceilings, row.work, r.precision, r.set);
  if (const double times = ranks::largest(times_the_possible(r, space)); times > 1) {
    r.verdict = Verdict{false, "too fast to have done its work", times, 1, {}};
    r.samples = {};
  }
}

/// The row joins all ranks: the work of all, and the time that the slowest needs at least.
void RowRunner::join(RowResult& r, const Work& work) const {
  r.work.bytes = ranks::total(work.bytes);
  r.work.flops = ranks::total(work.flops);
  r.work.items = ranks::total(work.items);
  // The bandwidths of caches are not known here: what is kept is of one rank that has the host.
  if (!r.bound.level.empty() && r.bound.level != "memory") r.bound = {};
  r.bound.least_ns = ranks::largest(r.bound.least_ns);
  r.bound.without_atomics_ns = ranks::largest(r.bound.without_atomics_ns);
  const auto route = machine_.routes.find(r.space);
  const double link =
      least_time(machine_.links, route == machine_.routes.end() ? Links{} : route->second.links,
                 work.messages);
  r.link_ns = std::isfinite(link) ? link : 0;
}

}  // namespace parallax
