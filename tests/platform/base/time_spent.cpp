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

std::map<std::string, double> now(time_spent::Account& account) {
  const auto all = account.so_far();
  return {all.begin(), all.end()};
}

void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

}  // namespace

TEST_CASE("a moment counts for the innermost part, and for no other") {
  time_spent::Account account;
  const auto before = now(account);
  {
    const Timer outer(Part::checks);
    wait();
    {
      const Timer inner(Part::copies);
      wait();
    }
    wait();
  }
  const auto after = now(account);
  const auto spent = [&](const char* part) { return after.at(part) - before.at(part); };
  CHECK(spent("checks") >= 0.010);  // two waits: a sleep may be longer, and never shorter
  CHECK(spent("copies") >= 0.005);
  for (const char* part : {"inputs", "references", "watch", "verified", "samples", "ceilings"})
    CHECK(spent(part) == 0);
}

TEST_CASE("the parts add up to the time that has passed") {
  using Clock = std::chrono::steady_clock;
  time_spent::Account account;
  const auto total = [&] {
    double sum = 0;
    for (const auto& part : now(account)) sum += part.second;
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

TEST_CASE("without an account a timer counts for none") {
  { const Timer alone(Part::samples); }
  time_spent::Account account;
  CHECK(now(account).at("samples") == 0);
  CHECK(now(account).at("other") > 0);  // since the program's start
}
