// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Counters that advance by what a run or a moment costs, on a clock that the test moves.
#include "measure/time/energy.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdlib>

#include "platform/device/nvml.hpp"
#include "support/folder.hpp"
#include "support/variable.hpp"

using Catch::Approx;
using namespace parallax;

namespace {

constexpr double step = 1.0 / 64;  // seconds: sums have no rounding
constexpr double run_seconds = step / 2;

/// A processor with its memory, whose clock stands still unless it works or rests.
class Machine {
 public:
  explicit Machine(bool dram = true) {
    domain("intel-rapl:0", "package-0");
    if (dram) domain("intel-rapl:0:0", "dram");
    domain("intel-rapl-mmio:0", "package-0");  // the same once more: not to be counted
    write("intel-rapl-mmio:0/energy_uj", 0);
    use(0, 0);
  }
  void use(double seconds, double joules) {
    now += seconds;
    used_ += joules;
    write("intel-rapl:0/energy_uj", std::fmod(used_ * 1e6, range));
    if (std::filesystem::exists(root.path() + powercap + "intel-rapl:0:0"))
      write("intel-rapl:0:0/energy_uj", std::fmod(used_ * 1e6 / 4, range));
  }
  /// Rests for 3 s at 32 W in the package.
  void measure_idle(EnergyMeter& meter) {
    meter.measure_idle(3, [&] { use(step, 0.5); });
  }
  /// 2 runs a step, with 1 J each in the package.
  RowEnergy measure(EnergyMeter& meter) {
    return meter.measure(
        3, 2, [&] { use(step, 2); }, [&] { ++waits; });
  }

  test::Folder root;
  double now = 100;
  int waits = 0;
  std::function<double()> clock = [this] { return now; };

 private:
  static constexpr double range = 10e6;  // microjoules: the counter starts anew many times
  const std::string powercap = "/sys/class/powercap/";
  void domain(const std::string& zone, const std::string& name) {
    root.write(powercap + zone + "/name", name);
    write(zone + "/max_energy_range_uj", range);
  }
  void write(const std::string& file, double value) const {
    root.write(powercap + file, std::to_string(std::llround(value)));
  }
  double used_ = 3;
};

std::vector<double> counted(std::size_t n, const std::function<double(double)>& f) {
  std::vector<double> values;
  for (std::size_t k = 0; k < n; ++k) values.push_back(f(static_cast<double>(k)));
  return values;
}

FoundSensors gpu() { return open_nvml("0000:65:00.0"); }

}  // namespace

TEST_CASE(
    "RAPL's joules of a run are those of package and memory, also where counters start anew") {
  Machine machine;
  EnergyMeter meter(true, {}, machine.root.path(), machine.clock);
  REQUIRE(meter.missing().empty());
  machine.measure_idle(meter);
  const auto energy = machine.measure(meter);
  REQUIRE(energy.missing.empty());
  CHECK(energy.seconds == Approx(3));
  CHECK(energy.runs == 384);
  CHECK(machine.waits == 193);
  REQUIRE(energy.parts.size() == 2);
  const auto& [package, dram] = std::tie(energy.parts[0], energy.parts[1]);
  CHECK(package.name == "package");
  CHECK(package.source == "RAPL");
  CHECK(package.joules == Approx(1));
  CHECK(package.readings == 192);
  CHECK(package.idle_watts.value() == Approx(32));
  CHECK(package.above_idle.value() == Approx(1 - 32 * run_seconds));
  CHECK(package.interval.value().low == Approx(1));
  CHECK(package.interval.value().high == Approx(1));
  CHECK(dram.name == "dram");
  CHECK(dram.joules == Approx(0.25));
  const auto total = energy.total();
  CHECK(total.joules == Approx(1.25));
  CHECK(total.above_idle.value() == Approx(1.25 * (1 - 32 * run_seconds)));
  CHECK(total.interval.value().high == Approx(1.25));
}

TEST_CASE("runs that are longer than the time are measured once, after one that warms up") {
  Machine machine(false);
  EnergyMeter meter(true, {}, machine.root.path(), machine.clock);
  const auto energy = meter.measure(
      3, 1, [&] { machine.use(7, 9); }, [] {});
  CHECK(energy.runs == 1);
  CHECK(energy.seconds == Approx(7));
  REQUIRE(energy.parts.size() == 1);
  CHECK(energy.parts[0].joules == Approx(9));
  CHECK_FALSE(energy.parts[0].interval);
  CHECK_FALSE(energy.parts[0].above_idle);  // the idle power was not measured
}

TEST_CASE("energy that cannot be known says why, and names the file") {
  Machine machine;
  const auto package = machine.root.path() + "/sys/class/powercap/intel-rapl:0/energy_uj";
  SECTION("no counter") {
    const test::Folder nothing;
    EnergyMeter meter(true, {}, nothing.path(), machine.clock);
    CHECK(meter.missing() ==
          "no RAPL: " + nothing.path() + "/sys/class/powercap has no domain 'package'");
    CHECK(machine.measure(meter).missing == meter.missing());
    CHECK(machine.waits == 0);
  }
  SECTION("root's alone") {
    std::filesystem::remove(package);
    const EnergyMeter meter(true, {}, machine.root.path(), machine.clock);
    CHECK(meter.missing().find("RAPL cannot be read: " + package + " is root's") == 0);
  }
  SECTION("it stands still") {
    EnergyMeter meter(true, {}, machine.root.path(), machine.clock);
    const auto energy = meter.measure(
        3, 1, [&] { machine.use(step, 0); }, [] {});
    CHECK(energy.missing == "RAPL of 'package' changed too seldom, or could not be read");
    CHECK(energy.parts.empty());
  }
  SECTION("it goes away meanwhile") {
    EnergyMeter meter(true, {}, machine.root.path(), machine.clock);
    const auto energy = meter.measure(
        3, 1,
        [&] {
          machine.now += step;
          std::filesystem::remove(package);
        },
        [] {});
    CHECK(energy.missing == "RAPL of 'package' changed too seldom, or could not be read");
  }
}

TEST_CASE("a GPU's energy is its counter's, beside that of the host's package") {
  const test::Variable nvml("PARALLAX_NVML", test::library("fake_nvml"));
  const test::Variable counting("FAKE_NVML", "counting");  // 1 J more each time it is asked
  Machine machine;
  EnergyMeter meter(false, gpu(), machine.root.path(), machine.clock);
  machine.measure_idle(meter);
  const auto energy = machine.measure(meter);
  REQUIRE(energy.parts.size() == 3);
  CHECK(energy.parts[0].name == "gpu");
  CHECK(energy.parts[0].source == "NVML, energy counter");
  CHECK(energy.parts[0].joules == Approx(0.5));  // two runs a step
  CHECK(energy.parts[0].idle_watts.value() == Approx(64));
  CHECK(energy.parts[1].joules == Approx(1));
}

TEST_CASE("without a counter a GPU's power is added up over time, without both there is nothing") {
  const test::Folder nothing;
  Machine machine;
  SECTION("power") {
    const test::Variable nvml("PARALLAX_NVML", test::library("fake_nvml_old"));
    EnergyMeter meter(false, gpu(), nothing.path(), machine.clock);
    machine.measure_idle(meter);
    const auto energy = machine.measure(meter);
    REQUIRE(energy.parts.size() == 1);
    CHECK(energy.parts[0].source == "NVML, power over time");
    CHECK(energy.parts[0].joules == Approx(412.5 * run_seconds));
    CHECK(energy.parts[0].above_idle.value() == Approx(0).margin(1e-9));
    // Two readings of the power say nothing of a run in between.
    const auto seldom = meter.measure(
        3, 1, [&] { machine.now += 5; }, [] {});
    CHECK(seldom.missing ==
          "NVML, power over time of 'gpu' changed too seldom, or could not be read");
  }
  SECTION("neither, though the host has a counter") {
    const test::Variable nvml("PARALLAX_NVML", test::library("fake_nvml_old"));
    const test::Variable none("FAKE_NVML", "no power");
    EnergyMeter meter(false, gpu(), machine.root.path(), machine.clock);
    CHECK(meter.missing() ==
          "this NVML has no nvmlDeviceGetTotalEnergyConsumption; NVML: Not Supported");
  }
  SECTION("no library") {
    const test::Variable nvml("PARALLAX_NVML", "/nowhere/libnvml.so");
    EnergyMeter meter(false, gpu(), machine.root.path(), machine.clock);
    CHECK(meter.missing().find("/nowhere/libnvml.so") != std::string::npos);
  }
}

TEST_CASE("a counter that is seldom brought up to date is read from a change to a change") {
  const auto x = counted(300, [](double k) { return k; });
  // 3 J for each unit, brought up to date every 7th time, and not at the beginning.
  const auto rate =
      energy_rate(x, counted(300, [](double k) { return 21 * std::floor((k + 3) / 7); }));
  REQUIRE(rate);
  CHECK(rate->value == Approx(3));
  CHECK(rate->readings == 43);
  CHECK(rate->interval.value().low == Approx(3));
  CHECK_FALSE(energy_rate(x, counted(300, [](double k) { return k < 50 ? 1 : 2; })));
  CHECK_FALSE(energy_rate(x, counted(300, [](double k) { return k == 7 ? std::nan("") : k; })));
}

TEST_CASE("the interval is as wide as the rate varies") {
  const auto x = counted(400, [](double k) { return k; });
  const auto noisy = [](double k) { return 5 * k + 20 * std::sin(k * k); };
  const auto wild = energy_rate(x, counted(400, [&](double k) { return 100 + noisy(k); }));
  const auto calm = energy_rate(x, counted(400, [&](double k) { return 100 + 5 * k; }));
  REQUIRE(wild);
  REQUIRE(calm);
  CHECK(wild->interval.value().low < 5);
  CHECK(wild->interval.value().high > 5);
  CHECK(wild->interval.value().high - wild->interval.value().low > 0.1);
  CHECK(calm->interval.value().high - calm->interval.value().low < 1e-9);
}
