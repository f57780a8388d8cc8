// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/host/cpu_sensors.hpp"

#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "support/folder.hpp"

using namespace parallax;

namespace {

const std::string cpus = "/sys/devices/system/cpu/", powercap = "/sys/class/powercap/";

}  // namespace

TEST_CASE("a machine without sensors says why each is missing") {
  const test::Folder machine;
  CpuSensors sensors(machine.path());
  const auto reading = sensors.read();
  CHECK_FALSE(reading.mhz);
  CHECK_FALSE(reading.joules);
  CHECK_FALSE(reading.celsius);
  CHECK_FALSE(sensors.max_mhz);
  CHECK(sensors.governor.empty());
  CHECK(reading.missing.at("mhz") == "no cpufreq");
  CHECK(reading.missing.at("joules").find("no RAPL") == 0);
  CHECK(reading.missing.count("celsius") == 1);
  CHECK(reading.missing.count("throttled") == 1);
}

TEST_CASE("cpufreq gives the mean of all CPUs, the limit and the governor") {
  const test::Folder machine;
  machine.write(cpus + "cpu0/cpufreq/scaling_cur_freq", "2400000");
  machine.write(cpus + "cpu1/cpufreq/scaling_cur_freq", "3000000");
  machine.write(cpus + "cpu1/cpufreq/scaling_max_freq", "3600000");
  machine.write(cpus + "cpu1/cpufreq/scaling_governor", "powersave");
  machine.write(cpus + "cpufreq/boost", "1");
  CpuSensors sensors(machine.path());
  CHECK(sensors.read().mhz == 2700);
  CHECK(sensors.max_mhz == 3600);
  CHECK(sensors.governor == "powersave");
}

TEST_CASE("RAPL adds up the packages, and a counter that starts anew goes on") {
  const test::Folder machine;
  machine.write(powercap + "intel-rapl:0/name", "package-0");
  machine.write(powercap + "intel-rapl:0/energy_uj", "9000000");
  machine.write(powercap + "intel-rapl:0/max_energy_range_uj", "10000000");
  machine.write(powercap + "intel-rapl:1/name", "package-1");
  machine.write(powercap + "intel-rapl:1/energy_uj", "500000");
  machine.write(powercap + "intel-rapl:1/max_energy_range_uj", "10000000");
  machine.write(powercap + "intel-rapl:0:0/name", "dram");
  machine.write(powercap + "intel-rapl:0:0/energy_uj", "77000000");
  CpuSensors sensors(machine.path());
  const auto before = sensors.read();
  machine.write(powercap + "intel-rapl:0/energy_uj", "1000000");
  machine.write(powercap + "intel-rapl:1/energy_uj", "1500000");
  const auto after = sensors.read();
  REQUIRE(before.joules);
  REQUIRE(after.joules);
  CHECK(*after.joules - *before.joules == 3);
  CHECK(after.missing.count("joules") == 0);
}

TEST_CASE("RAPL that only root may read says so") {
  const test::Folder machine;
  machine.write(powercap + "intel-rapl:0/name", "package-0");
  CpuSensors sensors(machine.path());  // no file is what a reader without the right sees, too
  const auto reading = sensors.read();
  CHECK_FALSE(reading.joules);
  CHECK(reading.missing.at("joules").find("RAPL cannot be read") == 0);
}

TEST_CASE("the hottest package counts, and AMD's sensor where there is no zone") {
  const test::Folder machine;
  machine.write("/sys/class/hwmon/hwmon3/name", "k10temp");
  machine.write("/sys/class/hwmon/hwmon3/temp1_input", "48500");
  CHECK(CpuSensors(machine.path()).read().celsius == 48.5);
  machine.write("/sys/class/thermal/thermal_zone0/type", "acpitz");
  machine.write("/sys/class/thermal/thermal_zone0/temp", "99000");
  machine.write("/sys/class/thermal/thermal_zone1/type", "x86_pkg_temp");
  machine.write("/sys/class/thermal/thermal_zone1/temp", "61000");
  machine.write("/sys/class/thermal/thermal_zone2/type", "x86_pkg_temp");
  machine.write("/sys/class/thermal/thermal_zone2/temp", "64000");
  CHECK(CpuSensors(machine.path()).read().celsius == 64);
}

TEST_CASE("a core is throttled if its counter has grown since the last reading") {
  const test::Folder machine;
  const auto count = cpus + "cpu0/thermal_throttle/core_throttle_count";
  machine.write(count, "41");
  CpuSensors sensors(machine.path());
  CHECK(sensors.read().throttled.empty());
  machine.write(count, "42");
  CHECK(sensors.read().throttled == std::vector<std::string>{"a core was too hot"});
  CHECK(sensors.read().throttled.empty());
}
