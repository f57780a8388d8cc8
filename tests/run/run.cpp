// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/run.hpp"

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "exercise/check.hpp"
#include "exercise/outputs.hpp"
#include "measure/verify/trial.hpp"
#include "platform/device/space_info.hpp"
#include "run/row_runner.hpp"

using namespace parallax;

namespace {

Row throwing(const std::function<void()>& run) {
  Row row;
  row.variant = "range";
  row.judge.check = [] { return Verdict{true, "nothing", 0, 0, {}}; };
  row.run = run;
  return row;
}

/// The exit status of a run of only this row.
int status_of_row(const Row& row, std::int64_t verify_repeat, bool verify_only = false) {
  Exercise exercise;
  exercise.name = "single";
  exercise.variants = {{"range", ""}};
  exercise.memory = [](const Parameters&, double) { return Memory{}; };
  Specialization instance;
  instance.space = space_names().front();
  instance.precision = "f32";
  instance.plan = [=](const Parameters&) { return Plan{{row}}; };
  const Case c{&exercise, &instance, Parameters({}, Size::tiny, true, 1), {"range"}, ""};
  RunOptions options;
  options.size = "tiny";
  options.no_ceilings = true;  // they take seconds, and no test here asks for them
  options.quiet = true;
  options.timing.min_time = options.timing.max_time = 0;
  options.verify_repeat = verify_repeat;
  options.verify_only = verify_only;
  return run_cases({c}, options);
}

}  // namespace

TEST_CASE("a run that throws has failed, but for want of memory it is the machine that has") {
  const auto broken = verify(throwing([] { throw std::runtime_error("team too large\nmore"); }));
  CHECK_FALSE(broken.passed);
  CHECK(broken.compared == "the run threw: team too large");
  CHECK_THROWS_AS(verify(throwing([] { throw std::bad_alloc(); })), std::bad_alloc);
  CHECK_THROWS_AS(verify(throwing([] {
                    throw std::runtime_error(
                        "Kokkos ERROR: Host memory space failed to allocate 1 GiB (label=\"x\").");
                  })),
                  std::runtime_error);
}

TEST_CASE("a kernel that is right at first and wrong later has failed") {
  // Wrong from the run `wrong_from` on, of a row that is run 1 + 2 + 1 times or more.
  const auto status_of = [](int wrong_from, std::int64_t verify_repeat) {
    const auto runs = std::make_shared<int>(0);
    Row row = throwing([=] { ++*runs; });
    row.judge.check = [=] { return Verdict{*runs < wrong_from, "the runs", 0, 0, {}}; };
    return status_of_row(row, verify_repeat);
  };
  CHECK(status_of(1 << 30, 1) == 0);
  CHECK(status_of(1, 1) == 1);
  CHECK(status_of(2, 1) == 1);  // right once, and never again
  CHECK(status_of(5, 5) == 1);  // the fifth verified run is wrong
}

TEST_CASE("the only sample of a run of seconds is verified") {
  const auto runs = std::make_shared<int>(0);
  Row row = throwing([=] {
    ++*runs;
    std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<long>(very_slow_ns)));
  });
  row.judge.check = [=] { return Verdict{*runs < 2, "the runs", 0, 0, {}}; };
  CHECK(status_of_row(row, 1) == 1);
  CHECK(*runs == 2);
}

TEST_CASE("a kernel that knows the poison, or keeps its result, has failed") {
  const Kokkos::DefaultHostExecutionSpace host;
  const std::int64_t n = 1000;
  const auto x = data::allocate<double>(host, "x", n);
  const auto status_of = [&](const std::function<void()>& run) {
    Row row;
    row.variant = "range";
    row.judge = {{data::output(host, "x", x)}, [=] {
                   return check::elements(
                       "x with 1", n, [&](std::int64_t i) { return x(i); },
                       [](std::int64_t) { return 1.0; }, 0.0);
                 }};
    row.run = run;
    const int status = status_of_row(row, 1);
    CHECK(status_of_row(row, 2, true) == status);  // nor without samples
    return status;
  };
  CHECK(status_of([=] { Kokkos::deep_copy(x, 1.0); }) == 0);
  const auto done = std::make_shared<bool>(false);
  CHECK(status_of([=] {
          if (!std::exchange(*done, true)) Kokkos::deep_copy(x, 1.0);
        }) == 1);
  CHECK(status_of([=] {  // less work where its output is finite
          const auto most = std::isfinite(x(0)) ? n / 8 : n;
          Kokkos::deep_copy(Kokkos::subview(x, std::pair<std::int64_t, std::int64_t>(0, most)),
                            1.0);
        }) == 1);
  CHECK(status_of([=] {
          for (std::int64_t i = 0; i < n; ++i)
            if (x(i) < 1 || std::isnan(x(i))) x(i) = 1;
        }) == 1);
}

// Hidden: the next test runs it in another process.
TEST_CASE("a kernel ends the program with status 0", "[.exits]") {
  status_of_row(throwing([] { std::exit(0); }), 1);
}

TEST_CASE("a kernel that ends the program with status 0 has failed, in one line") {
  const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = "'" + self + "' '[.exits]' 2>&1 >/dev/null";
  std::FILE* const run = popen(command.c_str(), "r");
  REQUIRE(run != nullptr);
  std::string said(1000, '\0');
  said.resize(std::fread(said.data(), 1, said.size(), run));
  const int status = pclose(run);
  CHECK(WEXITSTATUS(status) == 1);
  CHECK(said.ends_with(  // Kokkos may warn first
      "parallax: a kernel ended the program: its row and all after it are missing\n"));
}

TEST_CASE("where no row is available nothing is verified, and that is no success") {
  Row row = throwing([] {});
  row.unavailable = "not here";
  CHECK(status_of_row(row, 1) == 3);
}

TEST_CASE("a kernel that is faster than any can be has failed") {
  const auto status_of_bytes = [](double bytes) {
    Row row = throwing([] {});
    row.work.bytes = bytes;
    return status_of_row(row, 1);
  };
  CHECK(status_of_bytes(1) == 0);
  CHECK(status_of_bytes(1e15) == 1);  // a petabyte, in no time
  Row items = throwing([] {});
  items.work.items = 1e18;
  CHECK(status_of_row(items, 1) == 1);
}

TEST_CASE("a ceiling that other work slowed down condemns no row that a GPU can do") {
  SpaceInfo gpu;
  gpu.on_host = false;
  RowResult row;
  row.bound.name = "triad";
  row.work.bytes = 2.4e6;
  row.samples.real_ns = {4410};
  row.bound.least_ns = 6e5;  // 4 GB/s, of a GPU that others kept busy
  CHECK(times_the_possible(row, gpu) < 1);
  row.work.bytes = 1.2e10;
  row.bound.least_ns = 3e6;  // 4 TB/s, and 680 times as fast
  CHECK(times_the_possible(row, gpu) > 1);
  row.bound.unsure = true;
  CHECK(times_the_possible(row, gpu) < 1);
}

TEST_CASE("bits that a check has passed are not judged again, any others are") {
  const Kokkos::DefaultExecutionSpace space;
  const std::int64_t n = 1 << 17;
  const auto x = data::allocate<double>(space, "x", n);
  const auto judged = std::make_shared<int>(0);
  const auto judge = [=](const auto& where, const auto& array) -> Judge {
    return {{data::output(where, "x", array)}, [=] {
              ++*judged;
              const auto h = data::on_host(array);
              return check::elements(
                  "x with 1 or 2", n, [&](std::int64_t i) { return h(i) == 2 ? 1.0 : h(i); },
                  [](std::int64_t) { return 1.0; }, 0.0);
            }};
  };
  Row one, two, broken, idle;
  one.judge = judge(space, x);
  two.judge = broken.judge = idle.judge = one.judge;
  one.run = [=] { Kokkos::deep_copy(x, 1.0); };
  two.run = [=] { Kokkos::deep_copy(x, 2.0); };
  broken.run = [=] {
    Kokkos::deep_copy(x, 1.0);
    Kokkos::deep_copy(Kokkos::subview(x, n - 1), 3.0);
  };
  idle.run = [] {};
  CHECK(verify(one).passed);
  CHECK(verify(one).passed);
  CHECK(*judged == 1);
  CHECK(verify(two).passed);  // right, too, by other bits
  CHECK(*judged == 2);
  for (int k = 0; k < 2; ++k) {
    CHECK_FALSE(verify(broken).passed);  // one element of many
    CHECK_FALSE(verify(idle).passed);    // nothing written
  }
  CHECK(*judged == 6);  // failures are judged each time
  CHECK(verify(two).passed);
  CHECK(verify(one).passed);
  CHECK(*judged == 6);

  // Another array, judged alike, may be known; judged by another check, it is not.
  const Kokkos::DefaultHostExecutionSpace host;
  const auto y = data::allocate<double>(host, "y", n);
  Row twin;
  twin.judge = alike(one.judge, judge(host, y));
  twin.run = [=] { Kokkos::deep_copy(y, 1.0); };
  CHECK(verify(twin).passed);
  CHECK(*judged == 6);
  twin.judge = judge(host, y);
  CHECK(verify(twin).passed);
  CHECK(*judged == 7);
  // Nor where the check looks at more than the outputs.
  twin.judge.outputs[0].hash = {};
  CHECK(verify(twin).passed);
  CHECK(*judged == 8);
}
