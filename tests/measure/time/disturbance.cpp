// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/time/disturbance.hpp"

#include <unistd.h>
#include <catch2/catch_test_macros.hpp>

#include <chrono>

#include "support/folder.hpp"

using namespace parallax;

namespace {

/// 10 samples of 20 ms on 4 threads of 8 processors, disturbed by nothing.
Observation quiet() {
  Observation seen;
  seen.threads = 4;
  seen.processors = 8;
  seen.wall_ns = 205e6;
  seen.waited_ns = 0.4e6;
  seen.stolen = 0;
  seen.switches.assign(10, 0);
  seen.sample_ns.assign(10, 20e6);
  return seen;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("nothing speaks against the samples of a quiet machine") {
  CHECK(disturbance(quiet()).empty());
  CHECK(hit_samples(quiet()).empty());
}

TEST_CASE("threads that share their processors are a disturbance, however steady the samples are") {
  auto seen = quiet();
  seen.waited_ns = 100e6;
  seen.switches.assign(10, 3);
  CHECK(disturbance(seen) ==
        "a thread waited 49 % of the time for a processor, in 10 of 10 samples");
  seen.threads = 9;
  CHECK(contains(disturbance(seen), "9 threads share 8 processors"));
}

TEST_CASE("a few samples that were hit are named, and their median is not doubted") {
  auto seen = quiet();
  seen.switches[3] = 1;
  seen.switches[7] = 2;
  seen.waited_ns = 38e6;  // nearly all of these two
  CHECK(hit_samples(seen) == std::vector<std::size_t>{3, 7});
  CHECK(disturbance(seen).empty());
  seen.switches[0] = 1;
  CHECK(contains(disturbance(seen), "in 3 of 10 samples"));
}

TEST_CASE("an interrupt of moments in each long sample is none") {
  auto seen = quiet();
  seen.switches.assign(10, 1);
  seen.waited_ns = 2e6;
  CHECK(disturbance(seen).empty());
  seen.waited_ns = 6e6;
  CHECK_FALSE(disturbance(seen).empty());
}

TEST_CASE("threads that wait when they wake up are seen without any interrupt") {
  auto seen = quiet();
  seen.waited_ns = 20e6;
  CHECK(disturbance(seen).empty());  // 15 ms of 200 beyond the time between samples
  seen.waited_ns = 60e6;
  CHECK(disturbance(seen) == "a thread waited 29 % of the time for a processor");
}

TEST_CASE("a virtual machine's host that takes the processors is a disturbance") {
  auto seen = quiet();
  seen.stolen = 0.04;
  CHECK(disturbance(seen).empty());
  seen.stolen = 0.25;
  CHECK(disturbance(seen) == "the host of this virtual machine took 25 % of the threads' time");
}

TEST_CASE("without the scheduler's counts, interrupts and the processors' time tell") {
  auto seen = quiet();
  seen.waited_ns.reset();
  seen.ran = 0.5;  // threads that sleep do not run either
  CHECK(disturbance(seen).empty());
  seen.switches.assign(10, 3);
  CHECK(disturbance(seen) ==
        "the threads ran for 50 % of the time, and lost a processor, in 10 of 10 samples");
  seen.ran = 0.98;
  CHECK(disturbance(seen).empty());
}

TEST_CASE("a calibration that was held up counts if both were") {
  auto seen = quiet();
  seen.stretch_before = 4;
  CHECK(disturbance(seen).empty());
  seen.stretch_after = 3;
  CHECK(contains(disturbance(seen), "took 3.0 times its time"));
}

TEST_CASE("two readings of the scheduler give the longest wait and what was stolen") {
  const test::Folder machine;
  const std::string tasks = "/proc/self/task/";
  const auto write = [&](double first_waited, double second_waited, int stolen) {
    machine.write(tasks + "7/schedstat", "500 " + std::to_string(first_waited) + " 3");
    machine.write(tasks + "8/schedstat", "500 " + std::to_string(second_waited) + " 3");
    machine.write("/proc/stat",
                  "cpu 0 0 0 0 0 0 0 9999 0 0\ncpu0 1 1 1 1 0 0 0 500 0 0\ncpu1 1 1 1 1 0 0 0 " +
                      std::to_string(stolen) + " 0 0\ncpu2 1 1 1 1 0 0 0 3 0 0\nintr 4");
  };
  machine.write(tasks + "7/status", "Name:\tx\nCpus_allowed:\t6\nCpus_allowed_list:\t1");
  machine.write(tasks + "8/status", "Name:\tx\nCpus_allowed_list:\t1-2,5");
  write(1000, 2000, 10);
  auto before = read_scheduler(machine.path());
  write(5000, 2e8, 14);
  // A thread that began meanwhile has waited since an unknown time.
  machine.write(tasks + "9/schedstat", "0 9000000000 1");
  auto after = read_scheduler(machine.path());
  CHECK(after.processors == 3);
  after.at = before.at + std::chrono::milliseconds(400);
  before.cpu_ns = 0;
  after.cpu_ns = 400e6;
  const auto seen = between(before, after, 2);
  CHECK(seen.wall_ns == 400e6);
  REQUIRE(seen.waited_ns);
  CHECK(*seen.waited_ns == 2e8 - 2000);
  REQUIRE(seen.stolen);
  CHECK(*seen.stolen > 0);
  CHECK(seen.ran == 0.5);
  // A wait that ended now and began before is cut at the time between the readings.
  write(5000, 9e8, 14);
  auto later = read_scheduler(machine.path());
  later.at = before.at + std::chrono::milliseconds(400);
  CHECK(between(before, later, 2).waited_ns == 400e6);
  // Four ticks of a hundredth of a second, in two threads' 800 ms.
  if (before.stolen_ns && sysconf(_SC_CLK_TCK) == 100) CHECK(*seen.stolen == 0.05);
}

TEST_CASE("a system that counts nothing leaves both unknown") {
  const test::Folder machine;
  const auto reading = read_scheduler(machine.path());
  const auto seen = between(reading, reading, 2);
  CHECK_FALSE(seen.waited_ns);
  CHECK_FALSE(seen.stolen);
  CHECK(seen.processors == 0);
}
