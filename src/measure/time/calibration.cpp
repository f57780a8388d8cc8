// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/time/calibration.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <vector>

#include "measure/time/timing.hpp"
#include "platform/device/spaces.hpp"

namespace parallax {
namespace {

constexpr int pieces = 8, rounds = 4096, additions = 16;

std::uint64_t time_stamp() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return 0;
#endif
}

struct Spin {
  double best_ns = 0, total_ns = 0, ticks = 0;
};

/// The compiler can neither join the additions nor know the addend; with a constant, some cores
/// would add while they rename registers, at no cost.
std::uint64_t chain(std::uint64_t x, std::uint64_t addend) {
  for (int round = 0; round < rounds; ++round) {
    asm volatile("" : "+r"(addend));
    for (int k = 0; k < additions; ++k) {
      x += addend;
      asm volatile("" : "+r"(x));
    }
  }
  return x;
}

Spin spin() {
  Spin found;
  std::uint64_t x = 1;
  const auto ticks = time_stamp();
  const auto first = Clock::now();
  auto last = first;
  for (int piece = 0; piece < pieces; ++piece) {
    x = chain(x, 3);
    const auto now = Clock::now();
    const double ns = nanoseconds(now - last);
    found.best_ns = piece == 0 ? ns : std::min(found.best_ns, ns);
    last = now;
  }
  asm volatile("" : : "r"(x));
  found.total_ns = nanoseconds(last - first);
  found.ticks = static_cast<double>(time_stamp() - ticks);
  return found;
}

template <class Space>
std::vector<Spin> spin_on_threads(int threads) {
  const Space space = make_space<Space>(threads);
  const int count = threads > 0 ? threads : space.concurrency();
  std::vector<Spin> spins(static_cast<std::size_t>(count));
  Spin* const of_thread = spins.data();
  Kokkos::parallel_for(
      "parallax::calibrate",
      Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>>(space, 0, count),
      [=](int i) { of_thread[i] = spin(); });
  space.fence("parallax::calibrate");
  return spins;
}

}  // namespace

Calibration calibrate(const std::string& space, int threads) {
  std::vector<Spin> spins;
  for_each_built_in_space([&]<class Space>() {
    if constexpr (std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>)
      if (space_name<Space>() == space) spins = spin_on_threads<Space>(threads);
  });
  Calibration found;
  double slowest_ns = 0;
  for (const auto& s : spins) {
    slowest_ns = std::max(slowest_ns, s.best_ns);
    found.stretch = std::max(found.stretch, s.total_ns / (pieces * s.best_ns));
  }
  constexpr double cycles = 1.0 * rounds * additions;
  if (slowest_ns > 0) found.mhz = 1e3 * cycles / slowest_ns;
  if (!spins.empty() && spins.front().ticks > 0)
    found.time_stamp_mhz = 1e3 * spins.front().ticks / spins.front().total_ns;
  return found;
}

}  // namespace parallax
