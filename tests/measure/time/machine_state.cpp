// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/time/machine_state.hpp"

#include <Kokkos_Core.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "measure/time/calibration.hpp"
#include "platform/device/space_info.hpp"
#include "support/folder.hpp"

using namespace parallax;

namespace {

const std::string host = space_names().front();

WatchedSamples with(const std::string& disturbed, double ns) {
  WatchedSamples samples;
  samples.samples.real_ns = {ns, ns, ns};
  samples.state.disturbed = disturbed;
  return samples;
}

/// Two CPUs; a process has waited for them for the time that `write` says.
class SharedMachine {
 public:
  SharedMachine() {
    root.write("/sys/class/powercap/intel-rapl:0/name", "package-0");
    root.write("/sys/class/powercap/intel-rapl:0/energy_uj", "1000000");
    write(0);
  }
  void write(double waited_ns) const {
    root.write("/proc/self/task/1/schedstat", "0 " + std::to_string(waited_ns) + " 1");
  }
  test::Folder root;
};

TimingOptions three_samples() {
  TimingOptions options;
  options.repeat = 3;
  options.warmup = 0;
  options.min_time = 0;
  options.max_time = 1000;
  return options;
}

}  // namespace

TEST_CASE("calibration finds a clock that a processor can have, on one thread or all") {
  for (const int threads : {0, 1}) {
    const auto found = calibrate(host, takes_a_number_of_threads(host) ? threads : 0);
    CHECK(found.mhz > 50);
    CHECK(found.mhz < 10'000);
    CHECK(found.stretch >= 1);
    CHECK(std::isfinite(found.stretch));
  }
}

TEST_CASE("an undisturbed second try is better, else the faster one") {
  CHECK(is_better(with("", 200), with("busy", 100)));
  CHECK_FALSE(is_better(with("busy", 100), with("", 200)));
  CHECK(is_better(with("busy", 100), with("busy", 200)));
  CHECK_FALSE(is_better(with("busy", 200), with("busy", 100)));
}

TEST_CASE("disturbed samples are taken once more, and the better ones kept") {
  const SharedMachine machine;
  MachineState state(host, true, machine.root.path());
  int runs = 0;
  double waited = 0;
  // Each run writes that a thread waited a day more: the first three only, or all of them.
  int disturbed_runs = 0;
  const auto run = [&] {
    if (++runs <= disturbed_runs) machine.write(waited += 86'400e9);
  };
  const auto prepare = [] {};  // keeps runs from being batched
  SECTION("the second try is quiet") {
    disturbed_runs = 3;
    const auto taken = measure_watched(state, 0, run, prepare, three_samples());
    CHECK(runs == 6);
    CHECK(taken.state.sampled_twice);
    CHECK(taken.state.disturbed.find("a thread waited") == std::string::npos);
  }
  SECTION("both are disturbed") {
    disturbed_runs = 6;
    const auto taken = measure_watched(state, 0, run, prepare, three_samples());
    CHECK(runs == 6);
    CHECK(taken.state.sampled_twice);
    CHECK(taken.state.disturbed.find("a thread waited") == 0);
  }
  SECTION("there is no time for a second try") {
    disturbed_runs = 3;
    auto options = three_samples();
    options.repeat_given = true;
    options.max_time = 0;
    const auto taken = measure_watched(state, 0, run, prepare, options);
    CHECK(runs == 3);
    CHECK_FALSE(taken.state.sampled_twice);
    CHECK(taken.state.disturbed.find("a thread waited") == 0);
  }
}

TEST_CASE("a host's row has a clock, and power where RAPL counts") {
  const SharedMachine machine;
  MachineState state(host, true, machine.root.path());
  state.begin(0);
  machine.root.write("/sys/class/powercap/intel-rapl:0/energy_uj", "3000000");
  const auto found = state.end({}, {});
  REQUIRE(found.clock);
  CHECK(found.clock->mhz > 50);
  CHECK_FALSE(found.clock->reported_mhz);
  REQUIRE(found.power);
  REQUIRE(found.power->watts);
  CHECK(*found.power->watts > 0);
  CHECK_FALSE(found.power->throttled);
  CHECK(state.sources().missing.count("celsius") == 1);
  CHECK(state.sources().missing.count("watts") == 0);
  CHECK(state.sources().missing.count("reported_mhz") == 1);
}

TEST_CASE("a device's row has a clock or the reason why not") {
  for (const auto& info : describe_spaces()) {
    if (info.on_host) continue;
    MachineState state(info.name, false);
    state.begin(0);
    const auto found = state.end({}, {});
    CHECK((found.clock || state.sources().missing.count("mhz") == 1));
    if (found.clock) CHECK(found.clock->mhz > 50);
  }
}
