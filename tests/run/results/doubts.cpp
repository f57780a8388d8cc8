// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/results/doubts.hpp"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "run/results/csv.hpp"
#include "run/results/json.hpp"
#include "run/results/table.hpp"

using namespace parallax;
using Json = nlohmann::json;

namespace {

RowResult row(const std::string& variant, double mhz) {
  RowResult r;
  r.exercise = "histogram";
  r.variant = variant;
  r.space = "openmp";
  r.precision = "f32";
  r.phase = "kernel";
  r.samples.real_ns = {100, 100, 100, 100};
  r.samples.cpu_ns = {100, 100, 100, 100};
  r.state.clock = RowClock{mhz, "timed additions", std::nullopt};
  return r;
}

Results three_rows() {
  Results results;
  results.cases = {row("slow", 2600), row("best", 3000), row("near", 2750)};
  return results;
}

std::string line_of(const std::string& text, const std::string& start) {
  const auto begin = text.find(start);
  return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

TEST_CASE("a row below 90 % of the best clock is marked, others are not") {
  const auto results = three_rows();
  CHECK(doubt_letters(results, results.cases[0]) == "c");
  CHECK(doubt_letters(results, results.cases[1]).empty());
  CHECK(doubt_letters(results, results.cases[2]).empty());
  CHECK(doubts(results, results.cases[0])[0].why == "2600 of 3000 MHz");
}

TEST_CASE("clocks of other spaces and other numbers of threads are no measure") {
  auto results = three_rows();
  results.cases[1].space = "serial";
  CHECK(doubt_letters(results, results.cases[0]).empty());
  results = three_rows();
  results.cases[1].threads = 1;
  CHECK(doubt_letters(results, results.cases[0]).empty());
}

TEST_CASE("a device that holds its clock down marks the row, one that says nothing does not") {
  auto results = three_rows();
  results.cases[1].state.power = RowPower{};
  CHECK(doubt_letters(results, results.cases[1]).empty());
  results.cases[1].state.power->throttled = std::vector<std::string>{};
  CHECK(doubt_letters(results, results.cases[1]).empty());
  results.cases[1].state.power->throttled = {"power cap", "power brake"};
  CHECK(doubt_letters(results, results.cases[1]) == "t");
  CHECK(doubt_notes(results).find("histogram/best/openmp/f32: power cap, power brake\n") !=
        std::string::npos);
}

TEST_CASE("a row above 150 % of a ceiling that is sure is marked in the table and the files") {
  auto results = three_rows();
  const auto letters_of = [&](double least_ns, const auto& change) {
    auto c = results.cases[1];  // 100 ns
    c.bound = {"triad", least_ns, false, "L2"};
    change(c);
    return doubt_letters(results, c);
  };
  const auto nothing = [](RowResult&) {};
  CHECK(letters_of(151, nothing) == "f");
  CHECK(letters_of(149, nothing).empty());
  CHECK(letters_of(400, [](RowResult& c) { c.bound.unsure = true; }).empty());
  CHECK(letters_of(400, [](RowResult& c) { c.bound.level = ""; }).empty());
  CHECK(letters_of(400, [](RowResult& c) { c.other_work = true; }).empty());
  const auto computes = [](RowResult& c) { c.bound.kind = Bound::Kind::arithmetic; };
  CHECK(letters_of(400, computes) == "f");
  CHECK(letters_of(400, [&](RowResult& c) { computes(c), c.tier = Tier::library; }).empty());

  results.cases[1].bound = {"triad", 419, false, "L2"};
  const std::string why = "419 % of triad L2";
  CHECK(line_of(full_table(results), "histogram/best").find("0.00 % f") != std::string::npos);
  CHECK(doubt_notes(results).find("histogram/best/openmp/f32: " + why) != std::string::npos);
  const auto rows = Json::parse(to_json(results))["benchmarks"];
  CHECK(rows[1]["above_ceiling"] == why);
  CHECK_FALSE(rows[0].contains("above_ceiling"));
}

TEST_CASE("the table shows the marks behind the spread and says below what they mean") {
  auto results = three_rows();
  results.cases[0].state.disturbed = "a thread waited";
  results.cases[0].state.sampled_twice = true;
  const auto text = full_table(results);
  CHECK(line_of(text, "histogram/slow").find("0.00 % dc") != std::string::npos);
  CHECK(line_of(text, "histogram/best").find(" d") == std::string::npos);
  CHECK(text.find("d: other work disturbed the samples, in 1 row\n"
                  "   histogram/slow/openmp/f32: a thread waited; sampled twice\n"
                  "c: the clock was below 90 % of the best in this run, in 1 row\n"
                  "   histogram/slow/openmp/f32: 2600 of 3000 MHz\n") != std::string::npos);
  results.cases.assign(7, results.cases[0]);
  CHECK(doubt_notes(results).find("in 7 rows\n") != std::string::npos);
  CHECK(doubt_notes(results).find("   and 4 more: --json says why\n") != std::string::npos);
  for (auto& c : results.cases) c.state = {};
  CHECK(doubt_notes(results).empty());
}

TEST_CASE("the files hold the state: what is not known is null") {
  auto results = three_rows();
  results.cases[2].state = {};
  auto& state = results.cases[0].state;
  state.power = RowPower{250.5, std::nullopt, std::vector<std::string>{"power cap"}};
  state.disturbed = "a thread waited";
  state.hit_samples = {1, 3};
  state.sampled_twice = true;
  SpaceInfo space;
  space.name = "openmp";
  results.machine.spaces = {space};
  results.state_sources["openmp"].clock = "timed additions";
  results.state_sources["openmp"].missing = {{"celsius", "no thermal zone"}};
  const auto json = Json::parse(to_json(results));
  const auto& first = json["benchmarks"][0];
  CHECK(first["clock"] == Json{{"mhz", 2600},
                               {"best_mhz", 3000},
                               {"source", "timed additions"},
                               {"reported_mhz", nullptr}});
  CHECK(first["power"] ==
        Json{{"watts", 250.5}, {"celsius", nullptr}, {"throttled", {"power cap"}}});
  CHECK(first["disturbed"] == "a thread waited");
  CHECK(first["hit_samples"] == Json::array({1, 3}));
  CHECK(first["sampled_twice"] == true);
  const auto& last = json["benchmarks"][2];
  CHECK(last["clock"].is_null());
  CHECK(last["power"].is_null());
  for (const auto* field : {"disturbed", "hit_samples", "sampled_twice"})
    CHECK_FALSE(last.contains(field));
  const auto& sources = json["context"]["spaces"]["openmp"]["state"];
  CHECK(sources["clock"] == "timed additions");
  CHECK(sources["power"].is_null());
  CHECK(sources["missing"]["celsius"] == "no thermal zone");
  const auto csv = to_csv(results);
  CHECK(line_of(csv, "name,").find(",team_size,marks,") != std::string::npos);
  CHECK(line_of(csv, "histogram/slow").find(",dct,") != std::string::npos);
}
