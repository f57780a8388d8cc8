// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Size files.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/device/space_info.hpp"
#include "program/program.hpp"

using namespace parallax::program;

TEST_CASE("size files that are wrong are refused in one line") {
  const Folder folder;
  const auto refuse = [&](const std::string& content, const std::vector<std::string>& words) {
    std::ofstream(folder.file("size.json")) << content;
    require_refused(2, {"run", "--size", folder.file("size.json")}, words);
  };
  refuse("not json", {"not a JSON object"});
  refuse("[1, 2]", {"not a JSON object"});
  refuse(R"({"vector_add": {"n": 10)", {"not a JSON object"});
  refuse(R"({"vector_add": {"m": 10}})", {"vector_add", "unknown parameter 'm'"});
  refuse(R"({"vector_ad": {"n": 10}})", {"unknown exercise 'vector_ad'", "'vector_add'"});
  refuse(R"({"vector_add": {"n": [1]}})", {"'n'", "number or a string"});
  refuse(R"({"vector_add": {"n": -1}})", {"'n'", "'-1'"});
  refuse(R"({"base": "huge"})", {"base", "tiny, course or large"});
}

TEST_CASE("size demo gives every exercise of this program its own parameters") {
  const auto outcome = run({"run", "vector_add", "mandelbrot", "--size", "demo", "--variant",
                            "range", "--space", host, "--precision", "f32", "--dry-run"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("n=2000000") != std::string::npos);
  CHECK(outcome.out.find("real=-2,0.5") != std::string::npos);
}

TEST_CASE("a size file may hold several sets of parameters, and names stay unique") {
  const Folder folder;
  std::ofstream(folder.file("size.json"))
      << R"({"base": "tiny", "vector_add": [{"n": 10}, {"n": 1e3}]})";
  const auto outcome =
      run({"run", "vector_add", "--variant", "range", "--space", host, "--size",
           folder.file("size.json"), "--verify-only", "--json", folder.file("r.json")});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto json = Json::parse(slurp(folder.file("r.json")));
  std::vector<std::string> names;
  for (const auto& row : json["benchmarks"])
    if (!row.contains("skipped")) names.push_back(row["name"]);
  CHECK(names == std::vector<std::string>{"vector_add/range/" + host + "/f32/n:10",
                                          "vector_add/range/" + host + "/f32/n:1000"});
}

TEST_CASE("team sizes and threads are parameters, by options, --set, --sweep and size files") {
  const Folder folder;
  const std::vector<std::string> dry{"run",     "vector_add", "--size",   "tiny",
                                     "--space", host,         "--dry-run"};
  const auto sweep = run(with(dry, {"--variant", "range,team", "--sweep", "team-size=1,auto"}));
  INFO(sweep.out << sweep.err);
  CHECK(sweep.status == 0);
  CHECK(sweep.out.find("/f32/team_size:1 ") != std::string::npos);
  CHECK(sweep.out.find("/f32/team_size:auto ") != std::string::npos);
  CHECK(sweep.out.find("/range/") == std::string::npos);
  CHECK(sweep.err.find("leaves out what has no teams: range\n") != std::string::npos);
  require_refused(2, with(dry, {"--team-size", "0"}), {"'team_size'", "'0'", "auto"});
  require_refused(2, with(dry, {"--set", "team_size=1", "--sweep", "team-size=1,2"}),
                  {"'team_size'", "both set and swept"});
  require_refused(2, with(dry, {"--variant", "range", "--set", "team-size=1"}), {"has teams"});

  std::ofstream(folder.file("size.json"))
      << R"({"base": "tiny", "vector_add": {"team_size": 1, "threads": 1}})";
  const std::vector<std::string> request{"run",          "vector_add",
                                         "--variant",    "team",
                                         "--size",       folder.file("size.json"),
                                         "--space",      host,
                                         "--json",       folder.file("r.json"),
                                         "--no-ceilings"};
  if (!parallax::takes_a_number_of_threads(host))
    return require_refused(2, with(dry, {"--set", "threads=1"}), {"'threads'"});
  const auto outcome = run(request);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto row = Json::parse(slurp(folder.file("r.json")))["benchmarks"][0];
  CHECK(row["team_size"] == 1);
  CHECK(row["space_threads"] == 1);
  CHECK(row["parameters"]["threads"] == 1);
  CHECK_FALSE(row["parameters"].contains("team_size"));
  require_refused(2, with(request, {"--set", "threads=1000000"}), {"threads=1000000", host});
}

TEST_CASE("a program of one exercise takes the size files of the whole suite") {
  const Folder folder;
  const auto sizes = folder.file("size.json");
  Json every = Json::object();
  for (const auto& name : exercise_names()) every[name] = Json::object();
  every["tree_sum"] = {{"n", 20}};
  std::ofstream(sizes) << every;
  const auto outcome = run({"--space", host, "--size", sizes, "--dry-run"}, "tree_sum");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("n=20") != std::string::npos);
  CHECK(outcome.out.find("vector_add") == std::string::npos);
  std::ofstream(sizes) << R"({"vector_ad": {"n": 10}})";
  const auto refused = run({"--size", sizes}, "tree_sum");
  CHECK(refused.status == 2);
  CHECK(refused.err.find("unknown exercise 'vector_ad'") != std::string::npos);
}

TEST_CASE("the size file of odd sizes has every exercise, and all of its sizes can be run") {
  const std::string sizes = std::string(PARALLAX_SOURCE_DIR) + "/configs/sizes/odd.json";
  const auto json = Json::parse(slurp(sizes));
  for (const auto& name : exercise_names()) {
    INFO(name);
    CHECK(json.contains(name));
  }
  const auto outcome = run({"run", "all", "--size", sizes, "--precision", "all", "--dry-run"});
  INFO(outcome.err);
  CHECK(outcome.status == 0);
}
