// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "harness/ceilings.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "harness/data.hpp"
#include "harness/device.hpp"
#include "harness/spaces.hpp"
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

/// Seconds of the quickest of a few runs.
template <class F>
double quickest(F const& run) {
  TimingOptions options;
  options.repeat = 5;
  options.min_time = 0.02;
  options.max_time = 0.3;
  const auto samples = measure(run, {}, options);
  if (samples.real_ns.empty()) return 0;
  return *std::min_element(samples.real_ns.begin(), samples.real_ns.end()) * 1e-9;
}

template <class Space>
void triad(const Space& space, Block<Space> a, Block<Space> b, Block<Space> c) {
  Kokkos::parallel_for(
      "parallax::ceilings::triad", Policy<Space>(space, 0, static_cast<std::int64_t>(a.size())),
      KOKKOS_LAMBDA(std::int64_t i) {
        a(i) = {b(i).x + 0.5 * c(i).x, b(i).y + 0.5 * c(i).y};
      });
}

template <class Space>
void copy(const Space& space, Block<Space> a, Block<Space> b) {
  Kokkos::parallel_for(
      "parallax::ceilings::copy", Policy<Space>(space, 0, static_cast<std::int64_t>(a.size())),
      KOKKOS_LAMBDA(std::int64_t i) { a(i) = b(i); });
}

template <class Space>
void write(const Space& space, Block<Space> a) {
  Kokkos::parallel_for(
      "parallax::ceilings::write", Policy<Space>(space, 0, static_cast<std::int64_t>(a.size())),
      KOKKOS_LAMBDA(std::int64_t i) {
        a(i) = {1.0, 2.0};
      });
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
double fma_rate(const Space& space, std::int64_t steps) {
  const std::int64_t threads = on_host<Space> ? space.concurrency() : 2 * space.concurrency();
  Kokkos::View<T*, typename Space::memory_space> out(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "ceilings"), threads);
  const auto run = [&] {
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
  const double seconds = quickest(run);
  if (seconds <= 0) return 0;
  return 2.0 * lanes * static_cast<double>(steps) * static_cast<double>(threads) / seconds;
}

template <class Space>
void bandwidths(const Space& space, Ceilings& c) {
  // Four times the last cache on a host (STREAM's rule), a GiB on a device; never over a sixteenth
  // of what is free.
  const auto info = describe_space(c.space);
  const double wanted = on_host<Space> ? 4.0 * last_level_cache_bytes() : 1073741824.0;
  c.array_bytes = static_cast<std::size_t>(
      std::clamp(wanted, 64.0 * 1048576, std::max(info.memory_free / 16, 64.0 * 1048576)));
  c.array_bytes -= c.array_bytes % 4096;
  const double bytes = static_cast<double>(c.array_bytes);
  const auto n = c.array_bytes / sizeof(Wide);
  Block<Space> a[3];
  for (auto& x : a) {
    x = data::allocate<Wide>(space, "ceilings", static_cast<std::int64_t>(n));
    write(space, x);
  }
  c.triad = 3 * bytes / quickest([&] { triad(space, a[0], a[1], a[2]); });
  const double by_kernel = quickest([&] { copy(space, a[0], a[1]); });
  const double by_library = quickest([&] { Kokkos::deep_copy(space, a[0], a[1]); });
  c.copy = 2 * bytes / std::min(by_kernel, by_library);
  c.write = bytes / quickest([&] { write(space, a[0]); });
  const std::size_t workers = static_cast<std::size_t>(space.concurrency());
  Kokkos::View<double*, typename Space::memory_space> sums(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "ceilings"), workers);
  c.read = bytes / quickest([&] { read(space, a[0], sums); });
}

template <class Space>
Ceilings measure_space() {
  const Space space{};
  Ceilings c;
  c.space = space_name<Space>();
  bandwidths(space, c);
  // Compilers keep different numbers of chains in registers: the best of two counts.
  if constexpr (on_host<Space>) {
    const std::int64_t steps = 400'000;
    c.fma_f32 = std::max(fma_rate<float, 64>(space, steps), fma_rate<float, 128>(space, steps));
    c.fma_f64 = std::max(fma_rate<double, 32>(space, steps), fma_rate<double, 64>(space, steps));
  } else {
    const std::int64_t steps = 4000;
    c.fma_f32 = fma_rate<float, 16>(space, steps);
    c.fma_f64 = fma_rate<double, 16>(space, steps);
  }
  return c;
}

}  // namespace

Ceilings measure_ceilings(const std::string& space) {
  Ceilings found;
  for_each_built_in_space([&]<class Space>() {
    if (space_name<Space>() == space) found = measure_space<Space>();
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
  const double moving = bandwidth > 0 ? work.bytes / bandwidth * 1e9 : 0;
  const double computing = rate > 0 ? work.flops / rate * 1e9 : 0;
  if (moving <= 0 && computing <= 0) return {};
  if (moving >= computing) return {name_of(work.traffic), moving};
  return {f32 ? "fma_f32" : "fma_f64", computing};
}

}  // namespace parallax
