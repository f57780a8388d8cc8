// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "harness/run.hpp"

#include <catch2/catch_test_macros.hpp>
#include <new>
#include <stdexcept>

using namespace parallax;

namespace {

Row throwing(const std::function<void()>& run) {
  Row row;
  row.variant = "range";
  row.judge.check = [] { return Verdict{true, "nothing", 0, 0, {}}; };
  row.run = run;
  return row;
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
