// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// --tune and --tuned-for-this-machine.
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/device/space_info.hpp"
#include "program/program.hpp"
#include "run/cases/tuned_cases.hpp"

using namespace parallax::program;

TEST_CASE("what --tune finds is kept for this machine, and taken where that is asked for") {
  const Folder folder, results;
  const auto here = [&] { setenv("PARALLAX_CACHE", folder.file("cache").c_str(), 1); };
  const std::vector<std::string> matmul{
      "run",        "matmul", "--size",     "tiny",
      "--space",    host,     "--variant",  "naive,tiled_swizzled",
      "--repeat",   "2",      "--min-time", "0",
      "--max-time", "0"};
  const std::vector<std::string> tuned =
      with(matmul, {"--tuned-for-this-machine", "--json", results.file("r.json"), "--no-ceilings"});
  require_refused(3, tuned, {folder.file("cache"), "--tune"}, here);

  const auto outcome = run(with(matmul, {"--tune"}), "parallax", here);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.empty());
  const auto lines = lines_of(outcome.out);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].rfind("case ", 0) == 0);
  CHECK(lines[1].rfind("matmul/tiled_swizzled/" + host + "/f32 ", 0) == 0);
  CHECK(lines[1].find("tile=16") != std::string::npos);
  const fs::path kept = *fs::directory_iterator(folder.file("cache"));
  auto cache = Json::parse(slurp(kept));
  REQUIRE(cache["choices"].size() == 1);
  auto& choice = cache["choices"][0];
  CHECK(choice["variant"] == "tiled_swizzled");
  CHECK(choice["time_ns"] <= choice["own_time_ns"]);

  choice["values"] = {{"tile", "8"}};  // as another machine would have chosen
  std::ofstream(kept) << cache;
  const auto taken = run(tuned, "parallax", here);
  INFO(taken.err);
  REQUIRE(taken.status == 0);
  CHECK(taken.err.empty());
  const auto json = Json::parse(slurp(results.file("r.json")));
  for (const auto& row : json["benchmarks"]) {
    if (row["phase"] != "kernel") continue;
    const bool swizzled = row["variant"] == "tiled_swizzled";
    CHECK(row.value("tuned_for_this_machine", false) == swizzled);
    CHECK(row["parameters"]["tile"] == (swizzled ? 8 : 16));
    CHECK(row["verified"] == true);
  }

  choice["values"] = {{"m", "1"}};
  std::ofstream(kept) << cache;
  require_refused(3, tuned, {kept.string(), "'m' is no tuning parameter", "--tune"}, here);
  choice["values"] = {{"tile\x1b[2J", "8"}};
  std::ofstream(kept) << cache;
  require_refused(3, tuned, {kept.string(), "'tile\\x1b[2J'", "--tune"}, here);
  std::ofstream(kept) << std::string(200'000, '[') << std::string(200'000, ']');
  require_refused(3, tuned, {kept.string(), "damaged"}, here);
  fs::remove(kept);
  REQUIRE(mkfifo(kept.c_str(), 0600) == 0);
  require_refused(3, tuned, {kept.string(), "damaged"}, here);
  require_refused(3, with(matmul, {"--tune"}), {kept.string(), "no regular file"}, here);
  fs::remove(kept);

  std::ofstream(kept) << "{";
  require_refused(3, tuned, {kept.string(), "damaged"}, here);
  const auto again = run(with(matmul, {"--tune"}), "parallax", here);
  CHECK(again.status == 0);
  REQUIRE(lines_of(again.err).size() == 1);
  CHECK(again.err.find(kept.string()) != std::string::npos);
  CHECK(run(tuned, "parallax", here).status == 0);
}

TEST_CASE("team sizes are tuned where teams may have several threads") {
  const auto spaces = parallax::space_names();
  if (std::find(spaces.begin(), spaces.end(), "openmp") == spaces.end())
    SKIP("teams of Serial have one thread");
  const Folder folder;
  const auto here = [&] { setenv("PARALLAX_CACHE", folder.file("cache").c_str(), 1); };
  const auto add = with(quick, {"--space", "openmp"});
  const auto outcome = run(with(add, {"--tune"}), "parallax", here);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(lines_of(outcome.out).size() == 3);
  CHECK(outcome.out.find("vector_add/team/openmp/f32") != std::string::npos);
  CHECK(outcome.out.find("team_size=") != std::string::npos);
  const auto taken = run(with(add, {"--tuned-for-this-machine", "--json", folder.file("r.json")}),
                         "parallax", here);
  CHECK(taken.status == 0);
  const auto json = Json::parse(slurp(folder.file("r.json")));
  for (const auto& row : json["benchmarks"])
    if (row["phase"] == "kernel")
      CHECK(row.value("tuned_for_this_machine", false) == row.contains("team_size"));
}
