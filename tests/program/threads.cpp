// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The number of threads of OpenMP, and what they are bound to.
#include <sched.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/device/space_info.hpp"
#include "platform/host/processors.hpp"
#include "program/program.hpp"

using namespace parallax::program;

namespace {

bool has_openmp() {
  const auto spaces = parallax::space_names();
  return std::find(spaces.begin(), spaces.end(), "openmp") != spaces.end();
}

}  // namespace

TEST_CASE("the space openmp runs where it is built, and is refused elsewhere") {
  const std::vector<std::string> request{"run",     "vector_add", "--size",       "tiny",
                                         "--space", "openmp",     "--verify-only"};
  if (has_openmp())
    CHECK(run(request).status == 0);
  else
    require_refused(2, request, {"'openmp' is not built", "built in: "});
}

TEST_CASE("more threads than Kokkos can hold are refused, as many as it can hold are not") {
  if (!has_openmp()) SKIP("this build has no OpenMP");
  require_refused(2, quick, {"OMP_NUM_THREADS", "'513'", "512"},
                  [] { setenv("OMP_NUM_THREADS", "513", 1); });
  require_refused(2, with(quick, {"--kokkos-num-threads=513"}), {"'513'", "512"});
  require_refused(2, with(quick, {"--kokkos-num-threads=4"}), {"4 threads", "OMP_THREAD_LIMIT=2"},
                  [] { setenv("OMP_THREAD_LIMIT", "2", 1); });
  const auto outcome = run({"run", "vector_add", "--size", "tiny", "--space", "openmp", "--variant",
                            "range", "--verify-only", "--verbose", "--kokkos-num-threads=512"});
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("threads of openmp: 512") != std::string::npos);
}

TEST_CASE("threads are bound to the cores there are, unless the user says otherwise") {
  if (!has_openmp()) SKIP("this build has no OpenMP");
  const Folder folder;
  const auto space = [&](const Setup& setup) {
    const auto outcome = run({"run", "vector_add", "--size", "tiny", "--space", "openmp",
                              "--variant", "range", "--verify-only", "--json", folder.file("r")},
                             "parallax", setup);
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.err.empty());
    const auto context = Json::parse(slurp(folder.file("r")))["context"];
    return context["spaces"]["openmp"];
  };
  const auto undecided = [] {
    for (const char* name : {"OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES"}) unsetenv(name);
  };
  CHECK(space(undecided)["places"] == parallax::available_cores());
  const auto stale = space([&] {  // of a shell that was started by a run
    undecided();
    setenv("PARALLAX_BOUND_THREADS", "7 3", 1);
  });
  CHECK(stale["places"] == parallax::available_cores());
  CHECK(stale["concurrency"] == parallax::available_processors());
  const auto free = space([&] {
    undecided();
    setenv("OMP_PROC_BIND", "false", 1);
  });
  CHECK(free["places"] == 1);
  CHECK(free["binding"] == "OMP_PROC_BIND=false");
  const auto alone = space([&] {  // as with taskset: a mask of one processor
    undecided();
    cpu_set_t mask, one;
    sched_getaffinity(0, sizeof mask, &mask);
    int first = 0;
    while (!CPU_ISSET(first, &mask)) ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    sched_setaffinity(0, sizeof one, &one);
  });
  CHECK(alone["concurrency"] == 1);
  CHECK(alone["places"] == 1);
  CHECK(alone["binding"] == "there is one core");
}
