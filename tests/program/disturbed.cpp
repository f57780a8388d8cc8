// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The finished program on a machine that has no processor to spare.
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program/program.hpp"

using namespace parallax::program;

namespace {

/// The first two processors that this process may use, or the only one.
std::vector<int> two_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  std::vector<int> found;
  for (int k = 0; k < CPU_SETSIZE && found.size() < 2; ++k)
    if (CPU_ISSET(k, &allowed)) found.push_back(k);
  REQUIRE_FALSE(found.empty());
  return found;
}

void keep_to(const std::vector<int>& processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int k : processors) CPU_SET(k, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) _exit(126);
}

/// Processes that spin on some processors, twice as many as these. They end with the object, with
/// this process, and after some minutes in any case.
class BusyProcessors {
 public:
  explicit BusyProcessors(const std::vector<int>& processors) {
    for (std::size_t k = 0; k < 2 * processors.size(); ++k) {
      const pid_t child = fork();
      if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(300);
        keep_to(processors);
        volatile unsigned long turns = 0;
        for (;;) {
          turns = turns + 1;
        }
      }
      children_.push_back(child);
    }
  }
  ~BusyProcessors() {
    for (const pid_t child : children_) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }
  BusyProcessors(const BusyProcessors&) = delete;
  BusyProcessors& operator=(const BusyProcessors&) = delete;

 private:
  std::vector<pid_t> children_;
};

void check_disturbed(const std::string& space, const std::vector<int>& processors) {
  const Folder folder;
  // Samples far longer than a turn of the scheduler's. One thread for each processor: the others
  // are to blame, not the program's own.
  const int status =
      wait_for(start("parallax", {"run",           "integration2d",
                                  "--variant",     "row_per_thread",
                                  "--precision",   "f64",
                                  "--set",         "n=2500",
                                  "--space",       space,
                                  "--repeat",      "5",
                                  "--min-time",    "0",
                                  "--max-time",    "1000",
                                  "--no-ceilings", "--verbose",
                                  "--json",        folder.file("r.json")},
                     folder, [&] {
                       keep_to(processors);
                       setenv("OMP_NUM_THREADS", std::to_string(processors.size()).c_str(), 1);
                     }));
  REQUIRE(status == 0);
  const auto file = Json::parse(slurp(folder.file("r.json")));
  std::size_t timed = 0;
  for (const auto& row : file["benchmarks"]) {
    if (!row.contains("samples")) continue;
    ++timed;
    INFO(row["name"] << ": " << row.dump());
    REQUIRE(row.contains("disturbed"));
    CHECK(std::string(row["disturbed"]).find("processor") != std::string::npos);
    CHECK(row["hit_samples"].size() >= 2);
    CHECK(row["sampled_twice"] == true);
    CHECK(slurp(folder.file("out"))
              .find(std::string(row["name"]) + ": " + std::string(row["disturbed"])) !=
          std::string::npos);
  }
  CHECK(timed > 0);
}

}  // namespace

TEST_CASE("a run beside processes that spin on its processors is marked as disturbed") {
  const auto processors = two_processors();
  const BusyProcessors busy(processors);
  // One space at a time: a table names three of its disturbed rows at most.
  for (const auto& space : parallax::space_names())
    if (parallax::runs_on_host(space)) check_disturbed(space, processors);
}
