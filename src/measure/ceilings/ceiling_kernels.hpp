// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "device/stream_store.hpp"
#include "measure/time/timing.hpp"

/// The kernels whose rates are ceilings, each in every way that is quickest somewhere.
namespace parallax::ceiling_kernels {

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
inline double rate(const Way& way, const TimingOptions& options) {
  const auto samples = measure(way.run, {}, options);
  if (samples.real_ns.empty()) return 0;
  return way.amount / (*std::min_element(samples.real_ns.begin(), samples.real_ns.end()) * 1e-9);
}

/// The same of the quickest way; 0 where there is none.
inline double best_rate(const std::vector<Way>& ways, const TimingOptions& options) {
  double best = 0;
  for (const auto& way : ways) best = std::max(best, rate(way, options));
  return best;
}

/// One of several short rounds. Rows take 20 ms where there is a device; here the fence may be seen
/// a little.
template <class Space>
TimingOptions timing_of_short_round(std::int64_t samples) {
  TimingOptions options;
  options.warmup = 0;
  options.repeat = samples;
  options.min_time = 0.0005;
  options.max_time = 0.02;
  options.sample_time = on_host<Space> ? 0.0002 : 0.001;
  return options;
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
inline constexpr std::int64_t streamed = 4096;  // elements to an index; a fence ends them
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
template <class Space>
struct Increment {
  Block<Space> a;
  KOKKOS_FUNCTION Wide operator()(std::int64_t i) const { return {a(i).x + 1, a(i).y + 1}; }
};
struct Constant {
  KOKKOS_FUNCTION Wide operator()(std::int64_t) const { return {1.0, 2.0}; }
};

/// Every way to write an array by a kernel. A way that would leave a rest of the array out is not
/// there: it would seem quicker than it is.
template <class Space, class Value>
std::vector<Way> ways_to_assign(const char* label, const Space& space, Block<Space> a,
                                const Value& value, double bytes) {
  std::vector<Way> ways{{[=] { assign<1>(label, space, a, value); }, bytes}};
  if constexpr (on_host<Space>) {
    if (a.size() > 0 && a.size() % streamed == 0)
      ways.push_back({[=] { assign_streaming(label, space, a, value); }, bytes});
  } else if (a.size() % 8 == 0) {
    ways.push_back({[=] { assign<2>(label, space, a, value); }, bytes});
    ways.push_back({[=] { assign<4>(label, space, a, value); }, bytes});
    ways.push_back({[=] { assign<8>(label, space, a, value); }, bytes});
  }
  return ways;
}

/// How an array is read: each worker sums `pieces` runs of doubles.
struct Shares {
  std::int64_t workers, pieces;
};

/// Neighbouring threads of a GPU read neighbouring elements, 16 bytes each; a CPU thread reads its
/// own stretch in runs of cache lines.
template <class Space>
inline constexpr int doubles_in_run = on_host<Space> ? 64 : 2;

/// At most this many workers, and the fewest elements that no worker reads: none where the runs
/// divide evenly.
template <class Space>
Shares shares(std::size_t wide, std::int64_t most_workers) {
  const std::int64_t runs = static_cast<std::int64_t>(wide) * 2 / doubles_in_run<Space>;
  const std::int64_t pieces = std::max<std::int64_t>((runs + most_workers - 1) / most_workers, 1);
  return {runs / pieces, pieces};
}

template <class Space>
double bytes_read(const Shares& s) {
  return static_cast<double>(s.workers) * static_cast<double>(s.pieces) * doubles_in_run<Space> *
         sizeof(double);
}

/// Every worker sums its share, several loads in flight, and stores one number.
template <class Space>
void read(const char* label, const Space& space, Block<Space> a, const Shares& share,
          Kokkos::View<double*, typename Space::memory_space> sums) {
  constexpr int run = doubles_in_run<Space>;
  constexpr int runs = on_host<Space> ? 1 : 8;  // in flight
  const std::int64_t pieces = share.pieces;
  const std::int64_t first_step = on_host<Space> ? pieces * run : run;
  const std::int64_t step = on_host<Space> ? run : share.workers * run;
  Kokkos::parallel_for(
      label, Policy<Space>(space, 0, share.workers), KOKKOS_LAMBDA(std::int64_t w) {
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

/// What `read_only` reads: `each` elements to an index, 128 bytes, `width` of them apart.
struct ReadOnly {
  static constexpr std::int64_t each = 8, width = 256, block = each * width;
};

/// The same on a device, of whole blocks, and nothing is stored: no sum is `never`, but a compiler
/// does not know.
template <class Space>
void read_only(const char* label, const Space& space, Block<Space> a,
               Kokkos::View<double*, typename Space::memory_space> sums) {
  constexpr std::int64_t each = ReadOnly::each, width = ReadOnly::width;
  constexpr double never = -1.2345e300;
  Kokkos::parallel_for(
      label, Policy<Space>(space, 0, static_cast<std::int64_t>(a.size()) / each),
      KOKKOS_LAMBDA(std::int64_t w) {
        const Wide* from = a.data() + w / width * width * each + w % width;
        Wide x[each];
        for (int e = 0; e < each; ++e) x[e] = from[e * width];
        double sum = 0;
        for (int e = 0; e < each; ++e) sum += x[e].x + x[e].y;
        if (sum == never) sums(0) = sum;
      });
}

template <class Space>
std::vector<Way> ways_to_triad(const Space& space, Block<Space> a, Block<Space> b, Block<Space> c) {
  const double bytes = 3.0 * static_cast<double>(a.size() * sizeof(Wide));
  return ways_to_assign("parallax::ceilings::triad", space, a, Triad<Space>{b, c}, bytes);
}

template <class Space>
std::vector<Way> ways_to_copy(const Space& space, Block<Space> to, Block<Space> from) {
  const double bytes = 2.0 * static_cast<double>(to.size() * sizeof(Wide));
  auto ways = ways_to_assign("parallax::ceilings::copy", space, to, Copy<Space>{from}, bytes);
  ways.push_back({[=] { Kokkos::deep_copy(space, to, from); }, bytes});
  return ways;
}

template <class Space>
std::vector<Way> ways_to_update(const Space& space, Block<Space> a) {
  const double bytes = 2.0 * static_cast<double>(a.size() * sizeof(Wide));
  return ways_to_assign("parallax::ceilings::update", space, a, Increment<Space>{a}, bytes);
}

template <class Space>
std::vector<Way> ways_to_write(const Space& space, Block<Space> a) {
  const double bytes = static_cast<double>(a.size() * sizeof(Wide));
  auto ways = ways_to_assign("parallax::ceilings::write", space, a, Constant{}, bytes);
  // Zeros are a special case in it: the runtime's own fill.
  const Kokkos::View<double*, typename Space::memory_space, Kokkos::MemoryUnmanaged> numbers(
      &a.data()->x, 2 * a.size());
  ways.push_back({[=, keep = a] { Kokkos::deep_copy(space, numbers, 0.0); }, bytes});
  return ways;
}

template <class Space>
std::vector<Way> ways_to_read(const Space& space, Block<Space> a) {
  const auto share = shares<Space>(a.size(), std::int64_t{space.concurrency()});
  const Kokkos::View<double*, typename Space::memory_space> sums(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "ceilings"),
      static_cast<std::size_t>(share.workers));
  std::vector<Way> ways{
      {[=] { read("parallax::ceilings::read", space, a, share, sums); }, bytes_read<Space>(share)}};
  if (!on_host<Space> && share.workers > 0 && a.size() % ReadOnly::block == 0)
    ways.push_back({[=] { read_only("parallax::ceilings::read", space, a, sums); },
                    static_cast<double>(a.size() * sizeof(Wide))});
  return ways;
}

}  // namespace parallax::ceiling_kernels
