// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/results/results.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "platform/base/units.hpp"
#include "run/results/csv.hpp"
#include "run/results/json.hpp"
#include "run/results/summary.hpp"
#include "run/results/table.hpp"

using namespace parallax;
using Json = nlohmann::json;

namespace {

RowResult example() {
  RowResult c;
  c.exercise = "histogram";
  c.variant = "team_scratch";
  c.space = "openmp";
  c.precision = "f32";
  c.phase = "kernel";
  c.parameters = {{"n", std::int64_t{1000}}, {"low", 0.5}, {"overflow", std::string("drop")}};
  c.work = {.bytes = 4000, .flops = 0, .items = 1000, .traffic = Traffic::read};
  c.samples.real_ns = {100, 300, 200};
  c.samples.cpu_ns = {400, 400, 400};
  c.bound = {"read", 150};
  c.verdict = Verdict{true, "bins", 0, 0, {{"total", std::int64_t{9007199254740993}}}};
  return c;
}

Json row_of(const RowResult& c) {
  Results results;
  results.cases = {c};
  return Json::parse(to_json(results))["benchmarks"][0];
}

}  // namespace

TEST_CASE("a row carries medians, rates and exact whole numbers") {
  const auto row = row_of(example());
  CHECK(row["name"] == "histogram/team_scratch/openmp/f32");
  CHECK(row["real_time"] == 200);
  CHECK(row["min_time"] == 100);
  CHECK(row["max_time"] == 300);
  CHECK(row["bytes_per_second"] == 4000 / 200e-9);
  CHECK(row["percent_of_ceiling"] == 75);
  CHECK(row["parameters"]["n"] == 1000);
  CHECK(row["result"]["total"].get<std::int64_t>() == 9007199254740993);
}

TEST_CASE("a launch is no ceiling of what takes less time than one") {
  auto c = example();
  c.bound = {.name = "launch", .least_ns = 150, .kind = Bound::Kind::launch};
  CHECK(row_of(c)["percent_of_ceiling"] == 75);
  c.bound.least_ns = 300;
  CHECK(row_of(c)["percent_of_ceiling"].is_null());
}

TEST_CASE("a row has the interval of its median, if there are enough samples") {
  auto c = example();
  CHECK(row_of(c)["interval"].is_null());
  c.samples.real_ns = {100, 300, 200, 150, 250, 400};
  CHECK(row_of(c)["interval"] == Json::array({100, 400}));
}

TEST_CASE("names hold the phase unless it is the kernel, and the sweep's parameter") {
  auto c = example();
  c.phase = "end_to_end";
  c.suffix = "/n:1000";
  CHECK(c.name() == "histogram/team_scratch/openmp/f32/end_to_end/n:1000");
}

TEST_CASE("a failed check is an error to every reader, an expected one is not") {
  auto c = example();
  c.verdict->passed = false;
  CHECK(c.failed());
  CHECK(row_of(c)["error_occurred"] == true);
  CHECK(row_of(c)["verified"] == false);
  c.expected_to_fail = true;
  CHECK_FALSE(c.failed());
  CHECK(row_of(c)["error_occurred"] == false);
  CHECK(row_of(c)["expected_to_fail"] == true);
}

TEST_CASE("no number is null in JSON: an error that is NaN, a row that is not available") {
  auto c = example();
  c.verdict->error = std::numeric_limits<double>::quiet_NaN();
  CHECK(row_of(c)["check"]["error"].is_null());
  c.unavailable = "no device";
  CHECK(row_of(c)["skipped"] == true);
  CHECK(row_of(c)["skip_message"] == "no device");
  CHECK_FALSE(row_of(c).contains("real_time"));
}

TEST_CASE("CSV quotes what would break a line") {
  auto c = example();
  c.unavailable = "needs \"pinned\", really";
  c.samples = {};
  c.verdict.reset();
  Results results;
  results.cases = {c};
  const auto csv = to_csv(results);
  CHECK(csv.find("\"needs \"\"pinned\"\", really\"") != std::string::npos);
  const auto header_commas =
      std::count(csv.begin(), csv.begin() + static_cast<long>(csv.find('\n')), ',');
  CHECK(header_commas == 23);
}

TEST_CASE("a figure of merit is one line of words, and only a verified time is one") {
  auto c = example(), wrong = example(), race = example(), untimed = example();
  c.parameters.emplace_back("input", std::string("my 100% events\n.h5"));
  c.parameters.emplace_back("weights", std::vector<double>{1, 2.5});
  wrong.verdict->passed = false;
  race.expected_to_fail = true;
  untimed.samples = {};
  Results results;
  results.cases = {wrong, c, race, untimed};
  CHECK(fom_lines(results) ==
        "parallax.fom histogram/team_scratch/openmp/f32 n=1000 low=0.5 overflow=drop "
        "input=my%20100%25%20events%0A.h5 weights=[1.0,2.5] 200 ns\n");
}

TEST_CASE("a row says its tier, and its team size where it has teams") {
  auto c = example();
  CHECK(row_of(c)["tier"] == "lesson");
  CHECK_FALSE(row_of(c).contains("team_size"));
  c.tier = Tier::library;
  c.team_size = 96;
  CHECK(row_of(c)["tier"] == "library");
  CHECK(row_of(c)["team_size"] == 96);
}

TEST_CASE("what rows found is a sentence an exercise, with a range where they differ") {
  Results results;
  auto same = example(), other = example(), wrong = example();
  same.answer = "{total} values, wrong by {error}; the list is {list}; bin {bin} has most";
  same.verdict->result = {
      {"total", std::int64_t{7}}, {"error", 0.25}, {"list", Value{std::vector<double>{1}}}};
  other.variant = "global_atomic";
  other.verdict->result = {{"total", std::int64_t{7}}, {"error", 0.125}, {"bin", std::int64_t{3}}};
  wrong.verdict->passed = false;
  wrong.verdict->result = {{"total", std::int64_t{8}}};
  results.cases = {same, other, wrong};
  CHECK(what_was_computed(results) ==
        "results\nhistogram/f32: 7 values, wrong by 0.125 to 0.25; bin 3 has most\n");
  other.verdict->result.pop_back();
  results.cases = {same, other};
  CHECK(what_was_computed(results) == "results\nhistogram/f32: 7 values, wrong by 0.125 to 0.25\n");
  results.cases = {wrong};
  CHECK(what_was_computed(results).empty());
}

TEST_CASE(
    "rows that cannot run here are a line, unless they are asked for or nothing else is there") {
  auto absent = example();
  absent.unavailable = "no bus";
  Results results;
  results.cases = {example(), absent, absent};
  const auto few = table(results, false);
  CHECK(few.find("no bus") == std::string::npos);
  CHECK(few.find("\n2 rows are not available here (--all-rows says why)\n") != std::string::npos);
  for (const bool all : {true, false}) {
    if (!all) results.cases = {absent};
    CHECK(table(results, all).find(" n/a\n    no bus\n") != std::string::npos);
    CHECK(full_table(results, all).find("n/a: no bus\n") != std::string::npos);
  }
}

TEST_CASE("the table says once what an exercise's rows have in common, and fits 80 columns") {
  auto slow = example();
  slow.samples.real_ns = {40e9};
  slow.state.disturbed = "a thread waited";
  auto other = example();
  other.variant = "event_per_thread";
  other.phase = "independent";
  auto next = example();
  next.exercise = "tree_sum";
  Results results;
  results.cases = {slow, other, next};
  const auto text = table(results);
  INFO(text);
  CHECK(text.starts_with("histogram f32 on openmp  "));
  CHECK(text.find("  40.0 s  d  ") != std::string::npos);
  CHECK(text.find("\ntree_sum f32 on openmp\n  team_scratch  ") != std::string::npos);
  CHECK(text.find("d: other work disturbed the samples, in 1 row (--verbose)\n") !=
        std::string::npos);
  results.cases[1].space = "cuda";
  CHECK(table(results).find("\n  event_per_thread/cuda/independent  ") != std::string::npos);
  std::istringstream lines(table(results));
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("a ceiling that is not to be believed is marked wherever it stands") {
  Results results;
  auto c = example();
  c.bound.unsure = true;
  results.cases = {c};
  CHECK(row_of(c)["ceiling_unsure"] == true);
  CHECK_FALSE(row_of(example()).contains("ceiling_unsure"));
  CHECK(table(results).find("75.0 % read?") != std::string::npos);
  SpaceInfo space;
  space.name = "openmp";
  results.machine.spaces = {space};
  Ceilings ceilings;
  ceilings.space = "openmp";
  ceilings.read = 1e9;
  ceilings.unsure = {"read"};
  results.machine.ceilings = {ceilings};
  CHECK(footer(results).find("ceilings: openmp read 26.7 GB/s? (all: --verbose)\n") !=
        std::string::npos);
  CHECK(full_footer(results).find("read 1.00 GB/s (rounds disagree)") != std::string::npos);
  const auto json = Json::parse(to_json(results))["context"]["spaces"]["openmp"]["ceilings"];
  CHECK(json["unsure"] == Json::array({"read"}));
  CHECK(json["read_bytes_per_second"] == 1e9);
  CHECK(json["triad_bytes_per_second"].is_null());
}

TEST_CASE(
    "a row says how large its arrays are, what holds them, and which level its ceiling is of") {
  auto c = example();
  c.set = {4000, false};
  c.bound.level = "L1";
  auto cold = c;
  cold.set.cold = true;
  cold.bound.level = "memory";
  Results results;
  SpaceInfo space;
  space.name = "openmp";
  results.machine.spaces = {space};
  results.cases = {c, cold};
  results.machine.caches["openmp"] = {{1, 32768, 4}, {2, 1048576, 2}};
  const auto json = Json::parse(to_json(results));
  CHECK(json["context"]["spaces"]["openmp"]["caches"][1] ==
        Json({{"level", 2}, {"bytes", 1048576.0}, {"count", 2}}));
  const auto& rows = json["benchmarks"];
  CHECK(rows[0]["working_set"] == 4000);
  CHECK(rows[0]["fits_in"] == "L1");
  CHECK(rows[0]["ceiling"] == "read");
  CHECK(rows[0]["ceiling_level"] == "L1");
  CHECK_FALSE(rows[0].contains("cold"));
  CHECK(rows[1]["name"] == "histogram/team_scratch/openmp/f32/cold");
  CHECK(rows[1]["cold"] == true);
  CHECK(rows[1]["fits_in"] == "L1");
  CHECK(rows[1]["ceiling_level"] == "memory");
  CHECK(table(results).find("75.0 % read L1") != std::string::npos);
  CHECK(to_csv(results).find(",4000,memory,true\n") != std::string::npos);
  CHECK_FALSE(row_of(example()).contains("working_set"));
}

TEST_CASE("a row of atomic additions has the share of its work without them as well") {
  auto c = example();
  c.bound = {"atomic", 150, false, "L1", "read L2", 20};
  const auto row = row_of(c);
  CHECK(row["ceiling"] == "atomic");
  CHECK(row["percent_of_ceiling"] == 75);
  CHECK(row["ceiling_without_atomics"] == "read L2");
  CHECK(row["percent_without_atomics"] == 10);
  CHECK_FALSE(row_of(example()).contains("percent_without_atomics"));
  Results results;
  results.cases = {c};
  CHECK(full_table(results).find("75.0 % atomic L1 (10.0 % read L2)") != std::string::npos);
  CHECK(table(results).find("75.0 % atomic L1 ") != std::string::npos);
}

TEST_CASE("the ladder is in the file: what was measured, and the best of each level") {
  Results results;
  SpaceInfo space;
  space.name = "openmp";
  results.machine.spaces = {space};
  Ceilings ceilings;
  ceilings.space = "openmp";
  ceilings.caches = {{1, 1000, 1}, {2, 10000, 1}};
  for (const char* kind : ladder_kinds)
    ceilings.ladder.kinds[kind] = {{500, 1e9, true}, {1000, 2e9, true}, {8000, 1e9, false}};
  ceilings.ladder.launch = {0, 1e6, true};
  ceilings.ladder.accesses = {{"random", {{500, 1e9, true}, {1e6, 2e7, true}}},
                              {"h2d", {{16384, 5e9, true}}}};
  ceilings.ladder.date = "2026-11-22T21:00:00Z";
  ceilings.ladder.host = "node";
  ceilings.ladder.kept = true;
  results.machine.ceilings = {ceilings};
  const auto json =
      Json::parse(to_json(results))["context"]["spaces"]["openmp"]["ceilings"]["caches"];
  CHECK(json["kept"] == true);
  CHECK(json["launch_ns"] == 1000);
  CHECK(json["levels"]["L1"]["triad_bytes_per_second"] == 2e9);
  CHECK(json["levels"]["L2"]["bytes"] == 10000);
  CHECK(json["levels"]["L2"]["read_bytes_per_second"] == 1e9);
  CHECK(json["working_sets"]["copy"][2]["unsure"] == true);
  const auto text = full_footer(results);
  CHECK(text.find("L1 (1.00 kB) triad 2.00 GB/s") != std::string::npos);
  CHECK(text.find("accesses of openmp: random L1 1.00 G/s, memory 20.0 M/s (") !=
        std::string::npos);
  CHECK(text.find("; h2d 5.00 GB/s\n") != std::string::npos);
  const auto all = Json::parse(to_json(results))["context"]["spaces"]["openmp"]["ceilings"];
  CHECK(all["accesses"]["random"][1]["per_second"] == 2e7);
  CHECK(all["accesses"]["h2d"][0]["bytes_per_second"] == 5e9);
  CHECK(text.find("launch 1.00 us (kept, measured 2026-11-22 on node") != std::string::npos);
}

TEST_CASE("a library's row above the rate of multiply-adds is explained") {
  Results results;
  auto c = example();
  c.bound = {.name = "fma_f64", .least_ns = 300, .kind = Bound::Kind::arithmetic};
  results.cases = {c};
  CHECK(footer(results).find("matrix units") == std::string::npos);
  results.cases[0].tier = Tier::library;
  CHECK(footer(results).find("matrix units") != std::string::npos);
}

TEST_CASE("a device's row has the time of both clocks, a host's has one") {
  auto c = example();
  CHECK_FALSE(row_of(c).contains("event_time"));
  c.samples.event_ns = {190, 170, 180};
  CHECK(row_of(c)["event_time"] == 180);
  CHECK(row_of(c)["real_time"] == 200);
}

TEST_CASE("quantities are written with three digits and a prefix") {
  CHECK(readable_time(12) == "12.0 ns");
  CHECK(readable_time(1234) == "1.23 us");
  CHECK(readable_time(0.4e6) == "400 us");
  CHECK(readable_time(2.5e9) == "2.50 s");
  CHECK(readable_rate(3.03e12, "B/s") == "3.03 TB/s");
  CHECK(readable_bytes(999) == "999 B");
}

TEST_CASE("the speed-up names both sides, and leaves other work out") {
  Results results;
  SpaceInfo serial, openmp;
  serial.name = "serial";
  serial.device = openmp.device = "CPU";
  openmp.name = "openmp";
  openmp.concurrency = 8;
  results.machine.spaces = {serial, openmp};
  auto slow = example();
  slow.space = "serial";
  slow.samples.real_ns = {800};
  auto trick = example();
  trick.variant = "trick";
  trick.other_work = true;
  trick.samples.real_ns = {1};
  results.cases = {slow, example(), trick};
  CHECK(full_footer(results) ==
        "histogram f32: team_scratch on openmp (8 threads of CPU) is 4.00 times as fast as "
        "team_scratch on serial (1 thread of CPU)\n");
  CHECK(footer(results).ends_with(
      "histogram f32: team_scratch on openmp is 4.00 times as fast as team_scratch on serial\n"));
}

TEST_CASE("the footer and the file say where the time went") {
  Results results;
  results.seconds = {{"inputs", 0.25}, {"samples", 3}, {"ceilings", 0.001}, {"other", 0.75}};
  CHECK(footer(results) == "time: 4.00 s (samples 3.00 s, other 750 ms, inputs 250 ms)\n");
  CHECK(Json::parse(to_json(results))["context"]["seconds"] ==
        Json({{"inputs", 0.25}, {"samples", 3.0}, {"ceilings", 0.001}, {"other", 0.75}}));
  CHECK_FALSE(Json::parse(to_json(Results{}))["context"].contains("seconds"));
  results.exercise_seconds["short"] = {{"inputs", 0.0004}, {"samples", 0.25}};
  CHECK(full_footer(results).find("slowest") == std::string::npos);  // there is one
  results.exercise_seconds["long"] = {{"inputs", 0.5}, {"samples", 2}};
  CHECK(full_footer(results).find(")\nslowest exercises: long 2.50 s, short 250 ms\n") !=
        std::string::npos);
  CHECK(Json::parse(to_json(results))["context"]["exercise_seconds"] ==
        Json({{"short", {{"samples", 0.25}}}, {"long", {{"inputs", 0.5}, {"samples", 2.0}}}}));
}
