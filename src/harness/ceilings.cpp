// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "harness/ceilings.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>

#include "device/stream_store.hpp"
#include "harness/data.hpp"
#include "harness/device.hpp"
#include "harness/error.hpp"
#include "harness/interrupt.hpp"
#include "harness/spaces.hpp"
#include "harness/table.hpp"
#include "harness/timing.hpp"

namespace parallax {
namespace {

/// 16 bytes: the widest load of a GPU thread. Hosts vectorise it anyway.
struct alignas(16) Wide {
  double x, y;
};

template <class Space>
using Block = Kokkos::View<Wide*, typename Space::memory_space>;
template <class Space>
using Policy = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

template <class Space>
constexpr bool on_host =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Space::memory_space>::accessible;

/// One way to reach a ceiling: a run, and the bytes or flops that it takes care of.
struct Way {
  std::function<void()> run;
  double amount;
};

/// Per second, of the quickest of a few runs; 0 where an interrupt came first.
double rate(const Way& way, Scale scale) {
  TimingOptions options;
  options.warmup = 0;
  options.repeat = 1;
  options.min_time = scale == Scale::cache ? 0.002 : 0.01;
  options.max_time = 0.1;
  const auto samples = measure(way.run, {}, options);
  if (samples.real_ns.empty()) return 0;
  return way.amount / (*std::min_element(samples.real_ns.begin(), samples.real_ns.end()) * 1e-9);
}

/// a(i) = value(i) for every i. `each` elements to an index, neighbouring indices beside each
/// other: a GPU needs fewer threads, with several loads or stores in flight each.
template <int each, class Space, class Value>
void assign(const char* label, const Space& space, Block<Space> a, const Value& value) {
  const std::int64_t workers = static_cast<std::int64_t>(a.size()) / each;
  Kokkos::parallel_for(
      label, Policy<Space>(space, 0, workers), KOKKOS_LAMBDA(std::int64_t w) {
        for (int e = 0; e < each; ++e) a(w + e * workers) = value(w + e * workers);
      });
}

/// The same past a CPU's cache: no line is read before it is overwritten.
constexpr std::int64_t streamed = 4096;  // elements to an index; a fence ends them
template <class Space, class Value>
void assign_streaming(const char* label, const Space& space, Block<Space> a, const Value& value) {
  const std::int64_t pieces = static_cast<std::int64_t>(a.size()) / streamed;
  Kokkos::parallel_for(label, Policy<Space>(space, 0, pieces), [=](std::int64_t piece) {
    constexpr int line = 64 / sizeof(Wide);
    for (std::int64_t i = piece * streamed; i < (piece + 1) * streamed; i += line) {
      alignas(64) Wide values[line];
      for (int l = 0; l < line; ++l) values[l] = value(i + l);
      bindings::stream_store(&a(i), values, sizeof values);
    }
    bindings::stream_fence();
  });
}

template <class Space>
struct Triad {
  Block<Space> b, c;
  KOKKOS_FUNCTION Wide operator()(std::int64_t i) const {
    return {b(i).x + 0.5 * c(i).x, b(i).y + 0.5 * c(i).y};
  }
};
template <class Space>
struct Copy {
  Block<Space> b;
  KOKKOS_FUNCTION Wide operator()(std::int64_t i) const { return b(i); }
};
struct Constant {
  KOKKOS_FUNCTION Wide operator()(std::int64_t) const { return {1.0, 2.0}; }
};

/// Every way to write an array by a kernel.
template <class Space, class Value>
std::vector<Way> ways_to_assign(const char* label, const Space& space, Block<Space> a,
                                const Value& value, double bytes) {
  std::vector<Way> ways{{[=] { assign<1>(label, space, a, value); }, bytes}};
  if constexpr (on_host<Space>) {
    ways.push_back({[=] { assign_streaming(label, space, a, value); }, bytes});
  } else {
    ways.push_back({[=] { assign<2>(label, space, a, value); }, bytes});
    ways.push_back({[=] { assign<4>(label, space, a, value); }, bytes});
    ways.push_back({[=] { assign<8>(label, space, a, value); }, bytes});
  }
  return ways;
}

/// Every hardware thread sums its share, several loads in flight, and stores one number.
template <class Space>
void read(const Space& space, Block<Space> a,
          Kokkos::View<double*, typename Space::memory_space> sums) {
  const auto workers = static_cast<std::int64_t>(sums.size());
  // Neighbouring threads of a GPU read neighbouring elements, 16 bytes each; a CPU thread reads its
  // own stretch in runs of cache lines.
  constexpr int run = on_host<Space> ? 64 : 2;  // doubles
  constexpr int runs = on_host<Space> ? 1 : 8;  // in flight
  const std::int64_t pieces = static_cast<std::int64_t>(a.size()) * 2 / run / workers;
  const std::int64_t first_step = on_host<Space> ? pieces * run : run;
  const std::int64_t step = on_host<Space> ? run : workers * run;
  Kokkos::parallel_for(
      "parallax::ceilings::read", Policy<Space>(space, 0, workers), KOKKOS_LAMBDA(std::int64_t w) {
        const double* p = &a.data()->x + w * first_step;
        double s[run * runs] = {};
        std::int64_t k = 0;
        for (; k + runs <= pieces; k += runs)
          for (int r = 0; r < runs; ++r)
            for (int l = 0; l < run; ++l) s[r * run + l] += p[(k + r) * step + l];
        for (; k < pieces; ++k)
          for (int l = 0; l < run; ++l) s[l] += p[k * step + l];
        double sum = 0;
        for (int l = 0; l < run * runs; ++l) sum += s[l];
        sums(w) = sum;
      });
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
std::size_t array_bytes(double free, Scale scale) {
  const double least = (scale == Scale::cache ? 1.0 : 64.0) * 1048576;
  constexpr double piece = streamed * sizeof(Wide);
  const double wanted = scale == Scale::cache ? least
                        : on_host<Space>      ? 4.0 * last_level_cache_bytes()
                                              : 1073741824.0;
  const double bytes = std::min(std::clamp(wanted, least, std::max(free / 16, least)), free / 8);
  return static_cast<std::size_t>(bytes / piece) * static_cast<std::size_t>(piece);
}

using Ways = std::map<std::string, std::vector<Way>>;

template <class Space>
Ways ways_to_move(const Space& space, const Ceilings& c) {
  const double bytes = static_cast<double>(c.array_bytes);
  const auto n = c.array_bytes / sizeof(Wide);
  Block<Space> a[3];
  for (auto& x : a) {
    x = data::allocate<Wide>(space, "ceilings", static_cast<std::int64_t>(n));
    assign<1>("parallax::ceilings::write", space, x, Constant{});
  }
  Ways ways;
  ways["triad"] =
      ways_to_assign("parallax::ceilings::triad", space, a[0], Triad<Space>{a[1], a[2]}, 3 * bytes);
  ways["copy"] =
      ways_to_assign("parallax::ceilings::copy", space, a[0], Copy<Space>{a[1]}, 2 * bytes);
  ways["copy"].push_back(
      {[=, to = a[0], from = a[1]] { Kokkos::deep_copy(space, to, from); }, 2 * bytes});
  ways["write"] = ways_to_assign("parallax::ceilings::write", space, a[0], Constant{}, bytes);
  // Zeros are a special case in it: the runtime's own fill.
  const Kokkos::View<double*, typename Space::memory_space, Kokkos::MemoryUnmanaged> numbers(
      &a[0].data()->x, 2 * n);
  ways["write"].push_back({[=, keep = a[0]] { Kokkos::deep_copy(space, numbers, 0.0); }, bytes});
  for (const int times : {1, 4}) {
    if (on_host<Space> && times > 1) continue;
    const auto workers = static_cast<std::size_t>(space.concurrency()) * times;
    const Kokkos::View<double*, typename Space::memory_space> sums(
        Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "ceilings"), workers);
    ways["read"].push_back({[=, from = a[0]] { read(space, from, sums); }, bytes});
  }
  return ways;
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
  // A busy machine is marked, and not waited for.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const auto late = [&] { return std::chrono::steady_clock::now() > end; };
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
        if (best == 0 || !late()) best = std::max(best, rate(way, scale));
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
  c.array_bytes = array_bytes<Space>(describe_space(c.space).memory_free, scale);
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

void Rounds::add(double rate) {
  if (!std::isfinite(rate) || rate <= best_) {
    if (std::isfinite(rate)) second_ = std::max(second_, rate);
    return;
  }
  second_ = best_;
  best_ = rate;
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
    case Traffic::bus: return "bus";
    default: return "triad";
  }
}

Bound bound(const Ceilings& c, const Work& work, const std::string& precision) {
  const bool f32 = work.arithmetic == Arithmetic::fma_f32 ||
                   (work.arithmetic == Arithmetic::same && precision == "f32");
  const double rate = f32 ? c.fma_f32 : c.fma_f64;
  const double bandwidth = work.traffic == Traffic::copy    ? c.copy
                           : work.traffic == Traffic::read  ? c.read
                           : work.traffic == Traffic::write ? c.write
                           : work.traffic == Traffic::bus   ? 0
                                                            : c.triad;
  // Where a part of the work has no ceiling, the other part's says nothing of the whole.
  const bool unknown = work.traffic != Traffic::bus && work.bytes > 0 && bandwidth <= 0;
  if (unknown || (work.flops > 0 && rate <= 0)) return {};
  const double moving = bandwidth > 0 ? work.bytes / bandwidth * 1e9 : 0;
  const double computing = rate > 0 ? work.flops / rate * 1e9 : 0;
  if (moving <= 0 && computing <= 0) return {};
  const std::string name = moving >= computing ? name_of(work.traffic)
                           : f32               ? "fma_f32"
                                               : "fma_f64";
  return {name, std::max(moving, computing), c.is_unsure(name)};
}

}  // namespace parallax
