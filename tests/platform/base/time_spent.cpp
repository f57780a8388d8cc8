// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/base/time_spent.hpp"

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <map>
#include <thread>

using namespace parallax;
using time_spent::Part, time_spent::Timer;

namespace {

std::map<std::string, double> now() {
  const auto all = time_spent::so_far();
  return {all.begin(), all.end()};
}

void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

}  // namespace

TEST_CASE("a moment counts for the innermost part, and for no other") {
  const auto before = now();
  {
    const Timer outer(Part::checks);
    wait();
    {
      const Timer inner(Part::copies);
      wait();
    }
    wait();
  }
  const auto after = now();
  const auto spent = [&](const char* part) { return after.at(part) - before.at(part); };
  CHECK(spent("checks") >= 0.010);  // two waits: a sleep may be longer, and never shorter
  CHECK(spent("copies") >= 0.005);
  for (const char* part : {"inputs", "references", "watch", "verified", "samples", "ceilings"})
    CHECK(spent(part) == 0);
}

TEST_CASE("the parts add up to the time that has passed") {
  using Clock = std::chrono::steady_clock;
  const auto total = [] {
    double sum = 0;
    for (const auto& part : now()) sum += part.second;
    return sum;
  };
  const auto started = Clock::now();
  const double before = total();
  {
    const Timer spent(Part::samples);
    wait();
  }
  const double passed = total() - before;
  CHECK(passed >= 0.005);
  CHECK(passed <= std::chrono::duration<double>(Clock::now() - started).count() + 1e-6);
}
