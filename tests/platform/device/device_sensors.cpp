// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/device/sensors.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "platform/device/amd_smi.hpp"
#include "platform/device/nvml.hpp"
#include "platform/device/rocm_smi.hpp"
#include "support/variable.hpp"

using namespace parallax;
using test::library, test::Variable;

namespace {

const std::string address = "0000:65:00.0";

}  // namespace

TEST_CASE("NVML is asked for the device at an address of the bus") {
  const Variable nvml("PARALLAX_NVML", library("fake_nvml"));
  const auto found = open_nvml(address);
  REQUIRE(found.sensors);
  CHECK(found.unavailable.empty());
  CHECK(found.sensors->library == "NVML");
  CHECK(found.sensors->max_mhz == 1980);
  const auto reading = found.sensors->read();
  CHECK(reading.mhz == 1950);
  CHECK(reading.watts == 412.5);
  CHECK(reading.celsius == 61);
  CHECK(reading.joules == 7.5);
  CHECK(reading.throttled.empty());
  CHECK(reading.missing.empty());
}

TEST_CASE("NVML's reasons for a low clock are named") {
  const Variable nvml("PARALLAX_NVML", library("fake_nvml"));
  const Variable behaviour("FAKE_NVML", "throttled");
  const auto reading = open_nvml(address).sensors->read();
  CHECK(reading.mhz == 1200);
  CHECK(reading.throttled == std::vector<std::string>{"power cap", "too hot (hardware slowdown)"});
}

TEST_CASE("what NVML does not know is missing with the reason") {
  SECTION("the device does not support it") {
    const Variable nvml("PARALLAX_NVML", library("fake_nvml"));
    const Variable behaviour("FAKE_NVML", "no power");
    const auto reading = open_nvml(address).sensors->read();
    CHECK_FALSE(reading.watts);
    CHECK(reading.missing.at("watts") == "NVML: Not Supported");
    CHECK(reading.celsius == 61);
  }
  SECTION("other programs use parts of the same device") {
    const Variable nvml("PARALLAX_NVML", library("fake_nvml"));
    const Variable behaviour("FAKE_NVML", "divided");
    const auto reading = open_nvml(address).sensors->read();
    CHECK_FALSE(reading.watts);
    CHECK_FALSE(reading.joules);
    CHECK(reading.missing.at("watts") == "NVML counts the whole GPU, which is divided (MIG)");
    CHECK(reading.missing.count("joules") == 1);
    CHECK(reading.mhz == 1950);
    CHECK(reading.celsius == 61);
  }
  SECTION("the library is too old") {
    const Variable nvml("PARALLAX_NVML", library("fake_nvml_old"));
    const auto reading = open_nvml(address).sensors->read();
    CHECK_FALSE(reading.joules);
    CHECK(reading.missing.at("joules") == "this NVML has no nvmlDeviceGetTotalEnergyConsumption");
    CHECK(reading.watts == 412.5);
  }
}

TEST_CASE("where NVML cannot be asked, the reason is its own") {
  SECTION("no such library") {
    const Variable nvml("PARALLAX_NVML", "/nowhere/libnvml.so");
    const auto found = open_nvml(address);
    CHECK_FALSE(found.sensors);
    CHECK(found.unavailable.find("/nowhere/libnvml.so") != std::string::npos);
  }
  SECTION("a library of something else") {
    const Variable nvml("PARALLAX_NVML", library("fake_rocm_smi"));
    CHECK(open_nvml(address).unavailable == "this NVML is older than version 2");
  }
  SECTION("no driver") {
    const Variable nvml("PARALLAX_NVML", library("fake_nvml"));
    const Variable behaviour("FAKE_NVML", "no driver");
    CHECK(open_nvml(address).unavailable == "NVML: Driver Not Loaded (device " + address + ")");
  }
  SECTION("another device") {
    const Variable nvml("PARALLAX_NVML", library("fake_nvml"));
    CHECK(open_nvml("0000:01:00.0").unavailable == "NVML: Not Found (device 0000:01:00.0)");
  }
}

TEST_CASE("ROCm SMI is asked for the device at an address of the bus, and for what it is sure of") {
  const Variable smi("PARALLAX_ROCM_SMI", library("fake_rocm_smi"));
  const auto found = open_rocm_smi("0001:65:02.0");
  REQUIRE(found.sensors);
  const auto reading = found.sensors->read();
  CHECK(reading.watts == 300.5);
  CHECK(reading.celsius == 55);
  CHECK(reading.joules == 62);
  CHECK_FALSE(reading.mhz);
  CHECK(reading.missing.count("mhz") == 1);
  CHECK(reading.missing.count("throttled") == 1);
  CHECK(open_rocm_smi("0000:c1:00.0").sensors->read().watts == 90);
  CHECK(open_rocm_smi("0000:01:00.0").unavailable == "ROCm SMI knows no device 0000:01:00.0");
  CHECK(open_rocm_smi("nonsense").unavailable == "ROCm SMI knows no device nonsense");
}

TEST_CASE("AMD SMI is asked for the device at an address of the bus, and for what it is sure of") {
  const Variable smi("PARALLAX_AMD_SMI", library("fake_amd_smi"));
  const auto found = open_amd_smi("0001:65:02.0");
  REQUIRE(found.sensors);
  CHECK(found.sensors->library == "AMD SMI");
  const auto reading = found.sensors->read();
  CHECK(reading.celsius == 81);
  CHECK(reading.joules == 62);
  CHECK_FALSE(reading.watts);
  for (const auto* const quantity : {"watts", "mhz", "throttled"})
    CHECK(reading.missing.count(quantity) == 1);
  const auto old = open_amd_smi("0000:c1:00.0").sensors->read();
  CHECK(old.celsius == 38.5);
  CHECK_FALSE(old.joules);
  CHECK(old.missing.at("joules") == "AMD SMI does not say");
  CHECK(open_amd_smi("0000:01:00.0").unavailable == "AMD SMI knows no device 0000:01:00.0");
  CHECK(open_amd_smi("nonsense").unavailable == "AMD SMI knows no device nonsense");
}

TEST_CASE("where AMD SMI cannot be asked, the reason is its own") {
  SECTION("no such library") {
    const Variable smi("PARALLAX_AMD_SMI", "/nowhere/libamd_smi.so");
    CHECK(open_amd_smi(address).unavailable.find("/nowhere/libamd_smi.so") != std::string::npos);
  }
  SECTION("a library of something else") {
    const Variable smi("PARALLAX_AMD_SMI", library("fake_nvml"));
    CHECK(open_amd_smi(address).unavailable == "this AMD SMI lacks functions that are needed");
  }
}
