// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// --cold and --fresh-ceilings.
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "measure/ceilings/flush.hpp"
#include "measure/ceilings/ladder.hpp"
#include "platform/device/caches.hpp"
#include "platform/device/space_info.hpp"
#include "program/program.hpp"

using namespace parallax::program;

TEST_CASE("rows with empty caches stand beside the others, verified and under names of their own") {
  const auto space = parallax::describe_space(host);
  if (parallax::Flush::wanted_bytes(true, parallax::caches_of(space)) > space.memory_free / 4)
    SKIP("too little memory to empty the caches");
  const Folder folder;
  const auto outcome = run(with(quick, {"--cold", "--space", host, "--variant", "range,wide",
                                        "--json", folder.file("r.json")}));
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto rows = Json::parse(slurp(folder.file("r.json")))["benchmarks"];
  std::vector<Json> timed;
  for (const auto& row : rows)
    if (row.contains("real_time")) timed.push_back(row);
  REQUIRE(timed.size() == 4);
  for (std::size_t k = 0; k < timed.size(); k += 2) {
    const auto &warm = timed[k], &cold = timed[k + 1];
    CHECK_FALSE(warm.contains("cold"));
    CHECK(cold["cold"] == true);
    CHECK(cold["name"] == warm["name"].get<std::string>() + "/cold");
    CHECK(cold["verified"] == true);
    CHECK(cold["iterations"] == 1);
    CHECK(cold["samples"].size() >= 2);
    CHECK(cold["working_set"] == warm["working_set"]);
  }
  CHECK(outcome.out.find("/cold") != std::string::npos);
  require_refused(2, with(quick, {"--cold", "--verify-only"}), {"--cold", "--verify-only"});
}

TEST_CASE("ceilings of the caches are kept, and measured again where that is asked for") {
  const Folder folder, cache;
  const auto spaces = parallax::space_names();
  const bool hosts_only = std::all_of(spaces.begin(), spaces.end(), parallax::runs_on_host);
  const auto elsewhere = [&] {
    setenv("PARALLAX_CACHE", cache.file("kept").c_str(), 1);
    // With little memory they end early. A device's runtime reserves more than any such limit.
    const rlimit little{1'500'000'000, 1'500'000'000};
    if (hosts_only) setrlimit(RLIMIT_AS, &little);
  };
  const auto outcome_of = [&](const std::vector<std::string>& more) {
    const auto outcome = run(with(with(with_ceilings, {"--space", host, "--variant", "range",
                                                       "--json", folder.file("r.json")}),
                                  more),
                             "parallax", elsewhere);
    REQUIRE(outcome.status == 0);
    return outcome;
  };
  const auto kept = [&] {
    return Json::parse(slurp(
        folder.file("r.json")))["context"]["spaces"][host]["ceilings"]["caches"]["kept"]
        .get<bool>();
  };
  outcome_of({});
  CHECK_FALSE(kept());
  std::vector<fs::path> files(fs::directory_iterator(cache.file("kept")), {});
  REQUIRE(files.size() == 1);
  CHECK(outcome_of({}).err.find("ceilings") == std::string::npos);
  CHECK(kept());
  std::ofstream(files.front()) << "{";
  CHECK(outcome_of({}).err.find(files.front().filename().string()) != std::string::npos);
  CHECK_FALSE(kept());
  outcome_of({"--fresh-ceilings"});
  CHECK_FALSE(kept());

  // Whatever is in its place is one line, and measured anew.
  const auto file = files.front();
  const auto sound = slurp(file);
  const auto ignored = [&](const char* what) {
    INFO(what);
    const auto lines = lines_of(outcome_of({}).err);
    REQUIRE(lines.size() == 1);
    CHECK(lines.front().find(file.filename().string()) != std::string::npos);
    CHECK(lines.front().find("measured again") != std::string::npos);
    CHECK_FALSE(kept());
  };
  const auto rates = [&](double factor, bool signs_it) {
    auto json = Json::parse(sound);
    auto& all = json["bytes_per_second"];
    for (auto& rungs : all)
      for (auto& rung : rungs) rung[1] = factor * rung[1].get<double>();
    if (signs_it) json["hash"] = parallax::hash_of_rates(json);
    std::ofstream(file) << json;
  };
  rates(1e-3, false);
  ignored("a thousandth, by hand");
  rates(1e-3, true);
  ignored("a thousandth");
  rates(1e6, true);
  ignored("faster than can be");
  std::ofstream(file) << std::string(200'000, '[');
  ignored("brackets");
  std::ofstream(file) << std::string(200'000, '[') << std::string(200'000, ']');
  ignored("brackets that close");
  fs::remove(file);
  REQUIRE(mkfifo(file.c_str(), 0600) == 0);
  ignored("a FIFO");
  fs::remove(file);
  fs::create_symlink("/dev/zero", file);
  ignored("a device");
  require_refused(2, with(quick, {"--fresh-ceilings"}), {"--fresh-ceilings", "--no-ceilings"});
}
