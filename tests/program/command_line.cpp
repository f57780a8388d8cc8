// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The finished program as a process: what it prints, and its files.
#include <sys/wait.h>
#include <csignal>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "platform/base/error.hpp"
#include "platform/device/space_info.hpp"
#include "program/program.hpp"

using namespace parallax::program;

TEST_CASE("checks compare all elements, or a sample where that is asked for and there are many") {
  const auto said = [](const std::vector<std::string>& more) {
    const Folder folder;
    const auto outcome =
        run(with({"run", "vector_add", "--space", host, "--variant", "range", "--n", "2000000",
                  "--verify-only", "--json", folder.file("r.json")},
                 more));
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.out.find("\ntime: ") != std::string::npos);
    const auto json = Json::parse(slurp(folder.file("r.json")));
    for (const char* part : {"inputs", "checks", "verified", "other"})
      CHECK(json["context"]["seconds"][part] > 0);
    return json["benchmarks"][0]["check"]["compared"].get<std::string>();
  };
  CHECK(said({}) == "every element with a serial sum");
  CHECK(said({"--verify", "full"}) == "every element with a serial sum");
  const auto sampled = said({"--verify", "sampled"});
  INFO(sampled);
  CHECK(sampled.rfind("every element with a serial sum (sampled: ", 0) == 0);
  CHECK(sampled.find(" of 2000000)") != std::string::npos);
}

TEST_CASE("with --fom each timed row has a line for programs, with the time of the file") {
  const Folder folder;
  const auto outcome =
      run(with(quick, {"--fom", "--quiet", "--space", host, "--json", folder.file("r.json")}));
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  std::string expected;
  const auto file = nlohmann::ordered_json::parse(slurp(folder.file("r.json")));
  for (const auto& row : file["benchmarks"]) {
    if (!row.contains("real_time")) continue;
    expected += "parallax.fom " + row["name"].get<std::string>();
    for (const auto& p : row["parameters"].items())
      expected += " " + p.key() + "=" +
                  (p.value().is_string() ? p.value().get<std::string>() : p.value().dump());
    char time[32];
    std::snprintf(time, sizeof time, " %.6g ns\n", row["real_time"].get<double>());
    expected += time;
  }
  const auto from = outcome.out.find("parallax.fom ");
  REQUIRE(from != std::string::npos);
  CHECK(outcome.out.substr(from) == expected);
  for (const auto* flag : {"--verify-only", "--dry-run", "--tune"})
    require_refused(2, with(quick, {"--fom", flag}), {"--fom", flag});
}

TEST_CASE("rows that are not available here are a line, and all of them are in the file") {
  const Folder folder;
  const std::vector<std::string> request{
      "run",    "vector_add",          "--size",       "tiny", "--space", host,
      "--json", folder.file("r.json"), "--verify-only"};
  const auto outcome = run(request);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out.find("n/a") == std::string::npos);
  CHECK(outcome.out.find("2 rows are not available here") != std::string::npos);
  const auto rows = Json::parse(slurp(folder.file("r.json")))["benchmarks"];
  CHECK(std::count_if(rows.begin(), rows.end(),
                      [](const Json& row) { return row.contains("skipped"); }) == 2);
  CHECK(run(with(request, {"--all-rows"})).out.find(" n/a\n    ") != std::string::npos);
}

TEST_CASE("the help of an exercise lists its own parameters only") {
  CHECK(run({"--help"}, "circle_area").out.find("--max-iterations") == std::string::npos);
  const auto help = run({"run", "circle_area", "--help"}).out;
  CHECK(help.find("--trials") != std::string::npos);
  CHECK(help.find("--max-iterations") == std::string::npos);
  CHECK(help.find("darts, all threads together") != std::string::npos);
  CHECK(help.find("mandelbrot_area") == std::string::npos);
  CHECK(run({"run", "--help"}).out.find("--max-iterations") != std::string::npos);
}

TEST_CASE("a dry run says what would be run, and runs nothing") {
  const Folder folder;
  const auto outcome = run({"run", "all", "--dry-run", "--json", folder.file("r.json")});
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("mandelbrot/simd/") != std::string::npos);
  CHECK(folder.content().empty());
}

TEST_CASE("results are written whole, in Google Benchmark's schema") {
  const Folder folder;
  const auto outcome = run(with(with_ceilings, {"--json", folder.file("r.json"), "--csv",
                                                folder.file("r.csv"), "--precision", "all"}));
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(folder.content() == std::vector<std::string>{"r.csv", "r.json"});
  const auto json = Json::parse(slurp(folder.file("r.json")));
  CHECK(json["context"]["complete"] == true);
  for (const char* field : {"date", "host_name", "num_cpus", "executable", "library_version", "git",
                            "kokkos_version", "compiler", "flags", "spaces", "slurm_job_id"}) {
    INFO(field);
    CHECK(json["context"].contains(field));
  }
  std::map<std::string, int> timed;  // by space and phase
  for (const auto& row : json["benchmarks"]) {
    if (row.contains("skipped")) {
      CHECK_FALSE(row["skip_message"].get<std::string>().empty());
      continue;
    }
    const std::string space = row["space"], phase = row["phase"];
    ++timed[space + " " + phase];
    INFO(row["name"]);
    CHECK(row["verified"] == true);
    CHECK(row["run_type"] == "iteration");
    CHECK(row["time_unit"] == "ns");
    CHECK(row["real_time"].get<double>() > 0);
    CHECK(row["min_time"] <= row["real_time"]);
    CHECK(row["real_time"] <= row["max_time"]);
    CHECK(row["samples"].size() == row["repetitions"].get<std::size_t>());
    if (phase != "kernel") {
      const std::string bus = row.value("ceiling", "h2d");
      CHECK((bus == "h2d" || bus == "d2h"));
    } else {
      // A kernel that takes less time than a launch has no share of it.
      CHECK((row["ceiling"] == "launch" || row["percent_of_ceiling"].get<double>() > 0));
      // On a busy machine a launch may take longer than so little work.
      const std::string ceiling = row["ceiling"];
      CHECK((ceiling == "triad" || ceiling == "launch" || ceiling.rfind("fma_", 0) == 0));
      CHECK(row["working_set"] == row["bytes"]);  // three arrays, each moved once
    }
    CHECK(row["check"]["error"] <= row["check"]["tolerance"]);
    CHECK(row["result"].contains("sum"));
  }
  // Four variants in two precisions; two of them have end_to_end rows, which only devices run.
  std::map<std::string, int> expected;
  for (const auto& space : parallax::space_names()) {
    expected[space + " kernel"] = 8;
    if (!parallax::runs_on_host(space)) expected[space + " end_to_end"] = 4;
  }
  CHECK(timed == expected);
  const auto csv = slurp(folder.file("r.csv"));
  CHECK(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')) ==
        json["benchmarks"].size() + 1);
}

TEST_CASE("every exercise is a program of its own, with the same options") {
  const auto outcome =
      run({"--size", "tiny", "--verify-only", "--space", host, "--variant", "simd"}, "mandelbrot");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("mandelbrot f64 on " + host) == 0);
  CHECK(outcome.out.find("\n  simd ") != std::string::npos);
  CHECK(outcome.out.find("vector_add") == std::string::npos);
}

TEST_CASE("a picture is a PNG of the right size") {
  const Folder folder;
  const auto outcome = run({"run", "mandelbrot", "--rows", "31", "--columns", "47", "--space", host,
                            "--verify-only", "--image", folder.file("m.png")});
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto png = slurp(folder.file("m.png"));
  REQUIRE(png.size() > 33);
  CHECK(png.substr(1, 3) == "PNG");
  CHECK(static_cast<unsigned char>(png[19]) == 47);  // width and height, big-endian, in the header
  CHECK(static_cast<unsigned char>(png[23]) == 31);
}

TEST_CASE("a signal ends the run after the sample in hand, and what was finished is kept") {
  for (const int signal : {SIGTERM, SIGINT}) {
    const Folder folder;
    const Folder output;
    const pid_t child = start(
        "parallax",
        {"run", "vector_add", "--size", "tiny", "--space", host, "--variant", "range,team,wide",
         "--precision", "all", "--min-time", "1000", "--repeat", "3", "--verify-only"},
        folder);
    CHECK(wait_for(child) == 0);
    const pid_t endless =
        start("parallax",
              {"run", "vector_add", "--sweep", "n=1000:900000:+1000", "--space", host, "--min-time",
               "1", "--no-ceilings", "--json", output.file("r.json")},
              folder);
    // The file is written after the first row; the others would take minutes.
    while (!fs::exists(output.file("r.json")) && waitpid(endless, nullptr, WNOHANG) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    kill(endless, signal);
    CHECK(wait_for(endless) == 128 + signal);
    CHECK(output.content() == std::vector<std::string>{"r.json"});
    const auto json = Json::parse(slurp(output.file("r.json")));
    CHECK(json["context"]["complete"] == false);
    CHECK_FALSE(json["benchmarks"].empty());
    const auto lines = lines_of(slurp(folder.file("err")));
    REQUIRE(lines.size() == 1);
    CHECK(lines.front().find("stopped by signal") != std::string::npos);
  }
}

TEST_CASE("compare sets two files side by side, and refuses what is not a results file") {
  const Folder folder;
  REQUIRE(run(with(quick, {"--json", folder.file("a.json")})).status == 0);
  REQUIRE(run(with(quick, {"--json", folder.file("b.json")})).status == 0);
  const auto outcome = run({"compare", folder.file("a.json"), folder.file("b.json")});
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("vector_add/wide/" + host + "/f32") != std::string::npos);
  std::ofstream(folder.file("bad.json")) << "{";
  require_refused(2, {"compare", folder.file("a.json"), folder.file("bad.json")}, {"bad.json"});
  std::ofstream(folder.file("other.json")) << "{\"a\": 1}";
  require_refused(2, {"compare", folder.file("a.json"), folder.file("other.json")}, {"benchmarks"});
  require_refused(3, {"compare", folder.file("a.json"), folder.file("missing.json")},
                  {"missing.json"});
}

TEST_CASE("list and info say what is built in") {
  const auto list = run({"list", "--json"});
  REQUIRE(list.status == 0);
  const auto json = Json::parse(list.out);
  CHECK(json["spaces"].get<std::vector<std::string>>() == parallax::space_names());
  for (const auto& e : json["exercises"]) {
    INFO(e["name"]);
    CHECK_FALSE(e["summary"].get<std::string>().empty());
    CHECK_FALSE(e["teaches"].get<std::string>().empty());
    CHECK_FALSE(e["variants"].empty());
    CHECK_FALSE(e["parameters"].empty());
  }
  const auto lines = run({"list"}).out;
  CHECK(std::count(lines.begin(), lines.end(), '\n') ==
        static_cast<std::ptrdiff_t>(json["exercises"].size()) + 1);
  CHECK(lines.find("vector_add ") != std::string::npos);
  std::istringstream each(lines);
  for (std::string line; std::getline(each, line);) {
    INFO(line);
    CHECK(line.size() <= 80);
  }
  CHECK(lines.ends_with("\nspaces built in: " + parallax::joined(parallax::space_names()) + "\n"));
  CHECK(run({"list", "--all"}).out.find("    range (lesson): ") != std::string::npos);
  const auto version = run({"--version"});
  CHECK(version.status == 0);
  CHECK(version.out.rfind("parallax ", 0) == 0);
}
