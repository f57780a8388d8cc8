// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/time/timing.hpp"

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "platform/base/statistics.hpp"
#include "platform/device/device_events.hpp"

using namespace parallax;

TEST_CASE("the median is the middle, or the mean of the two middles") {
  CHECK(median({3}) == 3);
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 3, 2}) == 2.5);
  CHECK(std::isnan(median({})));
}

TEST_CASE("short runs are batched, and every run is counted") {
  int runs = 0;
  TimingOptions options;
  options.repeat = 5;
  options.min_time = 0;
  const auto samples = measure([&] { ++runs; }, {}, options);
  CHECK(samples.real_ns.size() >= 5);
  CHECK(samples.cpu_ns.size() == samples.real_ns.size());
  CHECK(samples.iterations > 100);
  CHECK(runs >= static_cast<int>(samples.iterations) * 5);
}

TEST_CASE("a run that consumes its input is prepared before each sample and never batched") {
  int prepared = 0, runs = 0;
  bool ready = false, always_ready = true;
  TimingOptions options;
  options.repeat = 4;
  options.min_time = 0;
  const auto samples = measure(
      [&] {
        always_ready = always_ready && ready;
        ready = false;
        ++runs;
      },
      [&] {
        ready = true;
        ++prepared;
      },
      options);
  CHECK(samples.iterations == 1);
  CHECK(always_ready);
  CHECK(prepared == runs);
}

TEST_CASE("caches are emptied before each sample, which is one run then") {
  std::string order;
  TimingOptions options;
  options.repeat = 4;
  options.min_time = 0;
  options.flush = [&] { order += 'f'; };
  const auto samples = measure([&] { order += 'r'; }, [&] { order += 'p'; }, options);
  CHECK(samples.iterations == 1);
  CHECK(samples.real_ns.size() == 4);
  CHECK(order == "pfrpfrpfrpfrpfr");  // the first of them is the warm-up
  order.clear();
  CHECK(measure([&] { order += 'r'; }, {}, options).iterations == 1);
  CHECK(order == "frfrfrfrfr");
}

TEST_CASE("a long run ends after three samples, unless repetitions were asked for") {
  const auto nap = [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); };
  TimingOptions options;
  options.repeat = 10;
  options.max_time = 0.001;
  CHECK(measure(nap, {}, options).real_ns.size() == 3);
  options.repeat_given = true;
  options.min_time = 0;
  CHECK(measure(nap, {}, options).real_ns.size() == 10);
}

TEST_CASE("half of the time is enough for samples whose median is known to 2 %") {
  const std::vector<double> alike(10, 1000);
  auto apart = alike;
  for (std::size_t k = 0; k < apart.size(); ++k) apart[k] += 10 * static_cast<double>(k);
  CHECK(narrow(alike));
  CHECK_FALSE(narrow(apart));
  CHECK_FALSE(narrow({alike.begin(), alike.begin() + 5}));  // which have no interval
  TimingOptions options;
  options.min_time = 0.02;
  options.max_time = 1000;
  const auto samples =
      measure([] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }, {}, options);
  double total = 0;
  for (const double ns : samples.real_ns) total += ns * static_cast<double>(samples.iterations);
  CHECK((total >= 0.02e9 || (total >= 0.01e9 && narrow(samples.real_ns))));
}

TEST_CASE("one sample of a run of seconds is enough") {
  int runs = 0;
  TimingOptions options;
  options.warmup = 0;
  const auto nap = [&] {
    ++runs;
    std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<long>(very_slow_ns)));
  };
  CHECK(measure(nap, {}, options).real_ns.size() == 1);
  CHECK(runs == 1);
}

TEST_CASE("without warm-up the first of slow runs is a sample, and that of short ones is not") {
  int runs = 0;
  TimingOptions options;
  options.repeat = 2;
  options.min_time = 0;
  options.warmup = 0;
  const auto slow = measure(
      [&] {
        ++runs;
        std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<long>(slow_ns)));
      },
      {}, options);
  CHECK(slow.real_ns.size() == 2);
  CHECK(slow.switches.size() == 2);
  CHECK(runs == 2);
  runs = 0;
  const auto prepared = measure([&] { ++runs; }, [] {}, options);
  CHECK(prepared.real_ns.size() == 2);
  CHECK(runs == 2);
}

TEST_CASE("a sample is the time of one run: sleeps are not shorter than asked for") {
  TimingOptions options;
  options.repeat = 3;
  options.min_time = 0;
  const auto samples =
      measure([] { std::this_thread::sleep_for(std::chrono::milliseconds(3)); }, {}, options);
  for (const double ns : samples.real_ns) CHECK(ns >= 3e6);
}

TEST_CASE("a device's clock is asked on devices only") {
  TimingOptions options;
  options.repeat = 3;
  options.min_time = 0;
  options.device =
      !Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                  Kokkos::DefaultExecutionSpace::memory_space>::accessible;
  const auto run = [] {
    Kokkos::parallel_for("parallax::test", Kokkos::RangePolicy<>(0, 1000), KOKKOS_LAMBDA(int){});
  };
  const auto samples = measure(run, {}, options);
  CHECK(samples.seen_ns.empty() == !options.device);
  CHECK(samples.event_ns.empty() == !options.device);
  for (const double ns : samples.event_ns) CHECK(ns > 0);
  CHECK(measure(
            run, [] {}, options)
            .event_ns.empty());  // an untimed step is in each run
}

TEST_CASE("the host returns from a delay of the device before the device does") {
  if (!bindings::device_has_events) SKIP("no device here has a clock of its own");
  const bindings::DeviceDelay delay;
  bindings::DeviceEvents events;
  events.stop();
  Kokkos::fence();
  CHECK(events.over());
  delay(300);  // a second
  events.stop();
  CHECK_FALSE(events.over());
  Kokkos::fence();
  CHECK(events.over());
}
