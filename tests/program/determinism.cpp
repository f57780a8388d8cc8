// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// What docs/correctness.md promises bit for bit, at size tiny.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program/program.hpp"

using namespace parallax::program;

namespace {

/// Exercises and variants that are promised only to rounding: who adds what depends on the
/// threads.
const std::vector<std::string> to_rounding{"tree_sum/",
                                           "normalize/",
                                           "integration2d/flat",
                                           "integration2d/recurrence",
                                           "integration2d/row_per_thread_wide",
                                           "integration2d/team_scratch_wide",
                                           "circle_area/kokkos_pool",
                                           "scan/kokkos_scan/f",
                                           "scan/kokkos/f",
                                           "scan/three_kernels/f",
                                           "scan/team_scratch/f",
                                           "scan/look_back/f"};
/// And those whose roundings depend on the build: compilers fuse, and vectorise, as they see fit.
const std::vector<std::string> of_the_build{
    "dilepton_mass/", "integration2d/", "matmul/", "quadratic/", "row_sum/", "integer_power/pow"};

bool among(const std::string& name, const std::vector<std::string>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const std::string& begin) { return name.rfind(begin, 0) == 0; });
}

/// What each row left, by its name without the space, and under "" what the program was made from.
using Results = std::map<std::string, Json>;

Results results(const std::string& threads, const std::string& name = "parallax") {
  const Folder folder;
  const auto outcome = run({"run", "all", "--size", "tiny", "--precision", "all", "--verify-only",
                            "--quiet", "--json", folder.file("r.json")},
                           name, [&] { setenv("OMP_NUM_THREADS", threads.c_str(), 1); });
  INFO(name << ": " << outcome.err);
  REQUIRE(outcome.status == 0);
  const auto file = Json::parse(slurp(folder.file("r.json")));
  const auto& spaces = file["context"]["spaces"];
  Results found{{"", file["context"]["git"]}};
  for (const auto& row : file["benchmarks"]) {
    const std::string space = row["space"];
    if (row.contains("skipped") || !spaces[space]["on_host"]) continue;
    if (row["variant"] == "kokkos_kernels") continue;  // a library may do as it likes
    std::string row_name = row["name"];
    row_name.erase(row_name.find(space), space.size() + 1);
    // Where a check looks at more than the arrays, only its numbers are compared: they are whole.
    found[row_name] = {row["result"], row.value("bits", Json())};
  }
  return found;
}

/// How many rows of both are the same; each that is not, and is not of `but`, fails the test.
int compare(const Results& first, const Results& second, const std::vector<std::string>& but) {
  int same = 0;
  for (const auto& [name, result] : first) {
    const auto other = second.find(name);
    if (name.empty() || other == second.end() || among(name, but)) continue;
    INFO(name << ": " << result << " and " << other->second);
    CHECK(result == other->second);
    ++same;
  }
  return same;
}

}  // namespace

TEST_CASE("results that are promised bit for bit do not depend on the threads or on the run") {
  const auto first = results("4");
  CHECK(compare(first, results("4"), to_rounding) > 150);
  for (const auto* threads : {"1", "2", "3"}) {
    INFO(threads << " threads and 4");
    CHECK(compare(first, results(threads), to_rounding) > 150);
  }
}

TEST_CASE("results that are promised bit for bit are those of the other build") {
  auto but = to_rounding;
  but.insert(but.end(), of_the_build.begin(), of_the_build.end());
  const auto here = results("4");
  bool compared = false;
  // The two that scripts/run-tests makes; one of them is this one.
  for (const std::string build : {"debian-openmp", "debian-serial"}) {
    const auto other = "../../" + build + "/bin/parallax";
    if (!fs::exists(program(other)) || fs::equivalent(program(other), program("parallax")))
      continue;
    const auto there = results("4", other);
    if (there.at("") != here.at("")) continue;  // an old one
    CHECK(compare(here, there, but) > 100);
    compared = true;
  }
  if (!compared) SKIP("there is no other build of the same sources");
}
