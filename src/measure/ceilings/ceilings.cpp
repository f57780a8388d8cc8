// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/ceilings/ceilings.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>

#include "exercise/outputs.hpp"
#include "measure/ceilings/ceiling_kernels.hpp"
#include "measure/time/timing.hpp"
#include "platform/base/error.hpp"
#include "platform/base/interrupt.hpp"
#include "platform/base/units.hpp"
#include "platform/device/space_info.hpp"
#include "platform/device/spaces.hpp"
#include "platform/ranks/ranks.hpp"

namespace parallax {
namespace {

using namespace ceiling_kernels;

TimingOptions timing_of_round(Scale scale) {
  TimingOptions options;
  options.warmup = 0;
  options.repeat = 1;
  options.min_time = scale == Scale::cache ? 0.002 : 0.01;
  options.max_time = 0.1;
  return options;
}

/// `lanes` independent chains of fused multiply-adds per thread, kept in registers.
///
/// `steps` is a parameter and not a constant, or compilers would unroll all of them.
template <class T, int lanes, class Space>
Way fma(const Space& space, std::int64_t steps) {
  const std::int64_t threads = on_host<Space> ? space.concurrency() : 2 * space.concurrency();
  const Kokkos::View<T*, typename Space::memory_space> out(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "ceilings"), threads);
  const auto run = [=] {
    const T factor = T(0.999), term = T(0.001);
    // On a device the loop's own instructions would take a sixth of the time that floats need.
    constexpr int written_out = on_host<Space> ? 1 : 8;
    Kokkos::parallel_for(
        "parallax::ceilings::fma", Policy<Space>(space, 0, threads), KOKKOS_LAMBDA(std::int64_t w) {
          // No chain starts from a constant: compilers find out that 1 stays 1, and drop that one.
          T a[lanes];
          for (int l = 0; l < lanes; ++l) a[l] = T(w + l);
          for (std::int64_t k = 0; k < steps; k += written_out)
            for (int u = 0; u < written_out; ++u)
              for (int l = 0; l < lanes; ++l) a[l] = a[l] * factor + term;
          T sum = 0;
          for (int l = 0; l < lanes; ++l) sum += a[l];
          out(w) = sum;
        });
  };
  return {run, 2.0 * lanes * static_cast<double>(steps) * static_cast<double>(threads)};
}

/// Bytes of an array: four times the last cache on a host (STREAM's rule), a GiB on a device; never
/// over a sixteenth of what is free, nor under 64 MiB where an eighth of it is more than that.
template <class Space>
std::size_t array_bytes(double free, double last_cache, Scale scale) {
  const double least = (scale == Scale::cache ? 1.0 : 64.0) * 1048576;
  constexpr double piece = streamed * sizeof(Wide);
  const double wanted = scale == Scale::cache ? least
                        : on_host<Space>      ? 4.0 * last_cache
                                              : 1073741824.0;
  const double bytes = std::min(std::clamp(wanted, least, std::max(free / 16, least)), free / 8);
  return static_cast<std::size_t>(bytes / piece) * static_cast<std::size_t>(piece);
}

using Ways = std::map<std::string, std::vector<Way>>;

template <class Space>
Ways ways_to_move(const Space& space, const Ceilings& c) {
  const auto n = c.array_bytes / sizeof(Wide);
  Block<Space> a[3];
  for (auto& x : a) {
    x = data::allocate<Wide>(space, "ceilings", static_cast<std::int64_t>(n));
    assign<1>("parallax::ceilings::write", space, x, Constant{});
  }
  return {{"triad", ways_to_triad(space, a[0], a[1], a[2])},
          {"copy", ways_to_copy(space, a[0], a[1])},
          {"write", ways_to_write(space, a[0])},
          {"update", ways_to_update(space, a[0])},
          {"read", ways_to_read(space, a[0])}};
}

/// Compilers keep different numbers of chains in registers: the best of two counts on hosts.
template <class Space>
void add_ways_to_compute(const Space& space, Ways& ways) {
  if constexpr (on_host<Space>) {
    const std::int64_t steps = 400'000;
    ways["fma_f32"] = {fma<float, 64>(space, steps), fma<float, 128>(space, steps)};
    ways["fma_f64"] = {fma<double, 32>(space, steps), fma<double, 64>(space, steps)};
  } else {
    const std::int64_t steps = 4000;
    ways["fma_f32"] = {fma<float, 16>(space, steps)};
    ways["fma_f64"] = {fma<double, 16>(space, steps)};
  }
}

/// Takes every ceiling in turn, again and again until each is believed: one that was disturbed is
/// taken later, when the disturbance may be over.
void measure_all(const Ways& ways, bool host, Scale scale, Ceilings& c) {
  constexpr int most_rounds = 6;
  // A busy machine is marked, and not waited for; by all ranks, which time each round together.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const auto late = [&] {
    return ranks::largest(std::chrono::steady_clock::now() > end ? 1 : 0) > 0;
  };
  std::map<std::string, Rounds> found;
  const auto believed = [&](const std::string& name) {
    return found[name].agree() &&
           !is_absurd(name, found["fma_f32"].best(), found["fma_f64"].best(), host);
  };
  for (int round = 0; round < most_rounds && (round == 0 || !late()); ++round) {
    for (const auto& [name, candidates] : ways) {
      if (believed(name) || interrupted()) continue;
      double best = 0;
      for (const auto& way : candidates)
        if (best == 0 || !late()) best = std::max(best, rate(way, timing_of_round(scale)));
      found[name].add(best);
    }
  }
  for (const auto& field : ceiling_fields) {
    c.*field.value = found[field.name].best();
    if (!believed(field.name)) c.unsure.emplace_back(field.name);
  }
}

template <class Space>
Ceilings measure_space(Scale scale) {
  const Space space{};
  Ceilings c;
  c.space = space_name<Space>();
  const auto info = describe_space(c.space);
  c.caches = caches_of(info);
  c.array_bytes = array_bytes<Space>(info.memory_free, last_level_bytes(c.caches), scale);
  if (c.array_bytes == 0) {
    c.unavailable = "there is too little memory left";
    return c;
  }
  try {
    auto ways = ways_to_move(space, c);
    add_ways_to_compute(space, ways);
    measure_all(ways, on_host<Space>, scale, c);
  } catch (const std::exception& error) {
    if (!is_out_of_memory(error)) throw;
    c.unavailable = "memory ran out";
  }
  return c;
}

}  // namespace

bool Ceilings::is_unsure(const std::string& name) const {
  return std::find(unsure.begin(), unsure.end(), name) != unsure.end();
}

bool is_absurd(const std::string& ceiling, double fma_f32, double fma_f64, bool host) {
  if (ceiling == "fma_f32") return fma_f32 < 0.9 * fma_f64;
  return ceiling == "fma_f64" && host && fma_f64 < 0.4 * fma_f32;
}

std::string described(const Ceilings& c) {
  if (!c.measured()) return "not available: " + c.unavailable;
  std::string text;
  for (const auto& field : ceiling_fields) {
    text += (text.empty() ? "" : ", ") + std::string(field.name) + " ";
    text += c.*field.value > 0 ? readable_rate(c.*field.value, field.unit) : "not measured";
    if (c.*field.value > 0 && c.is_unsure(field.name)) text += " (rounds disagree)";
  }
  if (c.array_bytes > 0)
    text += " (arrays of " + readable_bytes(static_cast<double>(c.array_bytes)) + ")";
  return text;
}

Ceilings measure_ceilings(const std::string& space, Scale scale) {
  Ceilings found;
  for_each_built_in_space([&]<class Space>() {
    if (space_name<Space>() == space) found = measure_space<Space>(scale);
  });
  return found;
}

const char* name_of(Traffic traffic) {
  switch (traffic) {
    case Traffic::copy: return "copy";
    case Traffic::read: return "read";
    case Traffic::write: return "write";
    case Traffic::update: return "update";
    case Traffic::bus: return "bus";
    default: return "triad";
  }
}

namespace {

/// The bandwidth of a kind of traffic at a working set: of the ladder, which the arrays of this run
/// extend; of only these arrays where there is none.
Rung bandwidth(const Ceilings& c, Traffic traffic, const WorkingSet& set) {
  const std::string name = name_of(traffic);
  double here = 0;
  for (const auto& field : ceiling_fields)
    if (name == field.name) here = c.*field.value;
  const int arrays = traffic == Traffic::triad ? 3 : traffic == Traffic::copy ? 2 : 1;
  const Rung beyond{static_cast<double>(c.array_bytes) * arrays, here, !c.is_unsure(name)};
  const auto found = c.ladder.kinds.find(name);
  if (found == c.ladder.kinds.end() || found->second.empty() || set.bytes <= 0) return beyond;
  const Rung& last = found->second.back();
  const bool extended = here > 0 && beyond.bytes > last.bytes;
  if (set.cold) return extended ? beyond : last;
  return extended && set.bytes > last.bytes ? rung_at({last, beyond}, set.bytes)
                                            : rung_at(found->second, set.bytes);
}

bool is_atomic(const Accesses& part) {
  return part.kind == Access::atomic || part.kind == Access::atomic_in_order;
}

bool is_copy(Access kind) { return kind == Access::h2d || kind == Access::d2h; }

/// What the rate of its kind counts: accesses, or bytes copied.
double amount(const Accesses& part) { return part.count * (is_copy(part.kind) ? part.bytes : 1); }

/// The least time of a part of the work that has its own ceiling; 0 ns where it is not known.
Bound bound_of(const Ceilings& c, const Accesses& part) {
  const auto found = c.ladder.accesses.find(name_of(part.kind));
  if (found == c.ladder.accesses.end() || found->second.empty()) return {};
  const auto rung = rung_at(found->second, part.bytes);
  if (rung.rate <= 0) return {};
  const bool one = part.kind == Access::atomic && part.bytes <= sizeof(std::int64_t);
  const bool in_a_level = part.kind == Access::random || (part.kind == Access::atomic && !one);
  Bound bound{one ? "atomic_one" : name_of(part.kind), amount(part) / rung.rate * 1e9, !rung.sure,
              in_a_level ? level_that_holds(part.bytes, c.caches) : ""};
  bound.kind = is_atomic(part) ? Bound::Kind::atomic : Bound::Kind::access;
  return bound;
}

}  // namespace

std::string label_of(const Bound& bound) {
  return bound.name + (bound.level.empty() || bound.level == "memory" ? "" : " " + bound.level);
}

Bound bound(const Ceilings& c, const Work& work, const std::string& precision,
            const WorkingSet& set) {
  const bool f32 = precision == "f32";  // integers are held against f64
  const double rate = f32 ? c.fma_f32 : c.fma_f64;
  const bool moves = work.traffic != Traffic::bus && work.bytes > 0;
  const auto rung = moves ? bandwidth(c, work.traffic, set) : Rung{};
  // Where a part of the work has no ceiling, the other part's says nothing of the whole.
  if ((moves && rung.rate <= 0) || (work.flops > 0 && rate <= 0)) return {};
  // Launches of a row with neither are not looked at, nor cold rows' launches, which run once.
  const bool launched = !set.cold && c.ladder.launch.rate > 0 && set.bytes > 0 && moves;
  const double launch = launched ? 1e9 / c.ladder.launch.rate : 0;
  double moving = moves ? work.bytes / rung.rate * 1e9 : 0;
  if (launched) {
    // A rung's time holds a launch. A row that moves its arrays twice still has one.
    const double pass = set.bytes * (work.traffic == Traffic::update ? 2 : 1);
    const double once = pass / rung.rate * 1e9;
    moving = launch + work.bytes / pass * std::max(once - launch, 0.0);
  }
  const double computing = rate > 0 ? work.flops / rate * 1e9 : 0;
  Bound longest;
  if (moving < computing) {
    const std::string name = f32 ? "fma_f32" : "fma_f64";
    longest = {name, computing, c.is_unsure(name)};
    longest.kind = Bound::Kind::arithmetic;
  } else if (moving > 0) {
    const std::string level = set.bytes <= 0 ? ""
                              : set.cold     ? "memory"
                                             : level_that_holds(set.bytes, c.caches);
    longest = {name_of(work.traffic), moving, !rung.sure, level};
  }
  for (const auto& part : work.accesses) {
    if (amount(part) <= 0) continue;
    const auto of = bound_of(c, part);
    if (of.least_ns <= 0) return {};
    if (of.least_ns > longest.least_ns) longest = of;
  }
  if (longest.least_ns > 0 && 2 * launch > longest.least_ns) {
    Bound starting{"launch", longest.least_ns, !c.ladder.launch.sure || longest.unsure};
    starting.kind = Bound::Kind::launch;
    return starting;
  }
  if (longest.kind == Bound::Kind::atomic) {
    Work without = work;
    std::erase_if(without.accesses, is_atomic);
    const auto other = bound(c, without, precision, set);
    longest.without_atomics = label_of(other);
    longest.without_atomics_ns = other.least_ns;
  }
  return longest;
}

std::vector<LevelCeilings> by_level(const Ceilings& c) {
  std::vector<LevelCeilings> levels;
  for (const auto& cache : c.caches) {
    LevelCeilings level{cache.name(), cache.total(), {}};
    for (const auto& [kind, rungs] : c.ladder.kinds)
      for (const auto& rung : rungs)
        if (level_that_holds(rung.bytes, c.caches) == level.level)
          level.best[kind] = std::max(level.best[kind], rung.rate);
    if (!level.best.empty()) levels.push_back(level);
  }
  // A small working set is measured with the launch: no level is slower than a farther one.
  for (const auto& field : ceiling_fields) {
    double rate = c.*field.value;  // of memory
    for (std::size_t k = levels.size(); k-- > 0;)
      if (const auto best = levels[k].best.find(field.name); best != levels[k].best.end())
        rate = best->second = std::max(best->second, rate);
  }
  return levels;
}

std::string described_levels(const Ceilings& c) {
  const auto levels = by_level(c);
  std::string text;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const auto& cache = *std::find_if(c.caches.begin(), c.caches.end(), [&](const Cache& other) {
      return other.name() == levels[k].level;
    });
    text += (k == 0 ? "" : "; ") + cache.name() + " (" +
            (cache.count > 1 ? std::to_string(cache.count) + " x " : "") +
            readable_bytes(cache.bytes) + ")";
    for (const char* kind : ladder_kinds)
      if (const auto best = levels[k].best.find(kind); best != levels[k].best.end())
        text += std::string(text.ends_with(')') ? " " : ", ") + kind + " " +
                readable_rate(best->second, "B/s");
  }
  if (c.ladder.launch.rate > 0)
    text += (text.empty() ? "" : "; ") + std::string("launch ") +
            readable_time(1e9 / c.ladder.launch.rate);
  if (text.empty()) return "";
  return text + (c.ladder.kept ? " (kept, measured " + c.ladder.date.substr(0, 10) + " on " +
                                     c.ladder.host + "; --fresh-ceilings measures again)"
                               : " (measured now)");
}

double sector_bytes(const std::string& space) { return describe_space(space).on_host ? 64 : 32; }

std::string described_accesses(const Ceilings& c) {
  std::string text;
  for (const Access kind : all_accesses) {
    const auto found = c.ladder.accesses.find(name_of(kind));
    if (found == c.ladder.accesses.end()) continue;
    const bool copies = is_copy(kind);
    text += (text.empty() ? "" : "; ") + found->first;
    // Of each level the quickest that fits it and not a nearer one.
    std::vector<std::pair<std::string, Rung>> levels;
    for (const auto& rung : found->second) {
      const std::string level = copies || kind == Access::atomic_in_order ? ""
                                : rung.bytes <= 8                         ? "one address"
                                                  : level_that_holds(rung.bytes, c.caches);
      if (levels.empty() || levels.back().first != level) levels.emplace_back(level, Rung{});
      if (rung.rate > levels.back().second.rate) levels.back().second = rung;
    }
    for (std::size_t k = 0; k < levels.size(); ++k) {
      const auto& [level, rung] = levels[k];
      text += (k == 0 ? " " : ", ") + level + (level.empty() ? "" : " ") +
              readable_rate(rung.rate, copies ? "B/s" : "/s") +
              (rung.sure ? "" : " (rounds disagree)");
      if (kind == Access::random && level == "memory") {
        const double sector = sector_bytes(c.space);
        text += " (" + readable_rate(rung.rate * sector, "B/s") + " in sectors of " +
                readable_bytes(sector) + ")";
      }
    }
  }
  return text;
}

}  // namespace parallax
