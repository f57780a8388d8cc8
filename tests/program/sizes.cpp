// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Size files.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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
                                          "vector_add/range/" + host + "/f32/n:1000.0"});
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
