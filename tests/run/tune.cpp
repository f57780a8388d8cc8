// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "run/tune.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "measure/ceilings/machine_cache.hpp"
#include "platform/base/error.hpp"
#include "platform/base/files.hpp"
#include "run/cases/tuned_cases.hpp"
#include "support/temporary_file.hpp"
#include "support/variable.hpp"

using namespace parallax;
using test::Variable;

namespace {

using Set = Values;

/// An empty folder in which this machine's choices are kept, for the life of the object.
class CacheFolder {
 public:
  [[nodiscard]] static std::string file() {
    return cache_file("tuned", describe_space(space_names().front()));
  }

 private:
  test::TemporaryFile folder_;
  Variable variable_{"PARALLAX_CACHE", folder_.path()};
};

/// An exercise with teams of at most 4 threads; a team of 2 is wrong, and one of 4 too large for
/// the kernel. Its variant `tiled` tunes the width of its tiles.
class Made {
 public:
  Made() {
    exercise_.name = "made";
    exercise_.parameters = {count("n", "", {.tiny = 8, .course = 8, .large = 8}),
                            integer("tile", "", 16, 1, 64)};
    exercise_.variants = {
        Variant{.name = "range", .summary = ""},
        Variant{.name = "team", .summary = "", .teams = true},
        Variant{.name = "tiled", .summary = "", .tunes = {{"tile", {8, 16, 65}}}}};
    exercise_.memory = [](const Parameters&, double) { return Memory{}; };
    append_run_parameters(exercise_);
    instance_.space = space_names().front();
    instance_.precision = "f32";
    instance_.refuse = [](const Parameters& p) {
      if (p.team_size() > 4) throw UsageError("teams of 1 to 4 threads");
    };
    instance_.plan = [](const Parameters& p) {
      const int team = p.team_size() > 0 ? p.team_size() : 1;
      Row row{.variant = "team", .team_size = team};
      row.run = [=] {
        if (team == 4) throw std::runtime_error("the team size is too large");
      };
      row.judge.check = [=] { return Verdict{team != 2, "nothing", 0, 0, {}}; };
      return Plan{{row}};
    };
  }

  [[nodiscard]] Case of(const std::vector<std::string>& variants,
                        const std::string& n = "8") const {
    Parameters parameters(exercise_.parameters, Size::tiny, true, 1);
    parameters.set("n", n);
    return {&exercise_, &instance_, parameters, variants, ""};
  }

 private:
  Exercise exercise_;
  Specialization instance_;
};

}  // namespace

TEST_CASE("the best of made-up times is clearly faster, or the variant's own value") {
  const std::vector<double> own{100, 101, 102, 103, 104, 105, 106, 107};
  const auto shifted = [&](double by) {
    auto ns = own;
    for (auto& x : ns) x += by;
    return ns;
  };
  // The variant's own times, and other values'.
  const auto best = [&](const std::vector<std::vector<double>>& others) {
    std::vector<Tried> tried{by_time({}, own)};
    for (const auto& ns : others) tried.push_back(by_time({{"team_size", 2}}, ns));
    return best_of(tried);
  };
  CHECK(best({}) == 0);
  CHECK(best({shifted(-20)}) == 1);
  CHECK(best({shifted(-20), shifted(-30), shifted(-25)}) == 2);
  // Slower, or faster by less than the intervals' width.
  CHECK(best({shifted(20)}) == 0);
  CHECK(best({shifted(-3)}) == 0);
  // Refused or wrong values have no times. Of two rounds that differ none is a gain.
  CHECK(best({{}, {}}) == 0);
  CHECK(best({{80, 80, 80, 80, 110, 110, 110, 110}}) == 0);
}

TEST_CASE("energy decides by both rounds, each with all parts of the machine") {
  const auto round = [](double gpu, double more = 0) {
    RowEnergy energy;
    for (const double joules : {gpu, more}) {
      energy.parts.emplace_back();
      energy.parts.back().joules = joules;
      energy.parts.back().interval = Interval{joules * 0.99, joules * 1.01};
    }
    return energy;
  };
  const Values other{{"team_size", 2}};
  const auto best = [&](const std::vector<RowEnergy>& rounds) {
    return best_of({by_energy({}, {round(10), round(10.1)}), by_energy(other, rounds)});
  };
  CHECK(by_energy(other, {round(8), round(9)}).took == 8.5);
  CHECK(best({round(9), round(9.1)}) == 1);
  CHECK(best({round(9), round(9.1, 2)}) == 0);
  CHECK(best({round(8), round(9.9)}) == 0);
  auto uncounted = round(1), vague = round(1);
  uncounted.missing = "disturbed: another process";
  vague.parts.front().interval.reset();
  CHECK_FALSE(by_energy(other, {round(1), uncounted}).took);
  CHECK(best({round(1), uncounted}) == 0);
  CHECK(best({round(1), vague}) == 0);
  CHECK(best({}) == 0);
}

TEST_CASE("what can be tried is what the space accepts, without a parameter's own value") {
  const Made made;
  CHECK(values_to_try(made.of({"range"})).empty());
  CHECK(values_to_try(made.of({"team"})) ==
        std::vector<Set>{{}, {{"team_size", 1}}, {{"team_size", 2}}, {{"team_size", 4}}});
  CHECK(values_to_try(made.of({"tiled"})) == std::vector<Set>{{}, {{"tile", 8}}});
}

TEST_CASE("choices are kept for a variant and its problem, and the last one counts") {
  const CacheFolder cache;
  const Made made;
  CHECK_FALSE(kept(made.of({"team"})));
  keep({made.of({"team"}), {{"team_size", 4}}, 1, 2});
  keep({made.of({"tiled"}), {{"tile", 8}}, 1, 2});
  CHECK(kept(made.of({"team"})) == Set{{"team_size", 4}});
  CHECK(kept(made.of({"tiled"})) == Set{{"tile", 8}});
  CHECK_FALSE(kept(made.of({"team"}, "9")));
  keep({made.of({"team"}), {}, 1, 1});
  CHECK(kept(made.of({"team"})) == Set{});
  CHECK(kept(made.of({"tiled"})) == Set{{"tile", 8}});
}

TEST_CASE("cases that are tuned for this machine take what was kept, others stay as they are") {
  const CacheFolder cache;
  const Made made;
  const auto cases = std::vector{made.of({"range", "team", "tiled"})};
  CHECK_THROWS_AS(tuned_cases(cases, {}), MachineError);
  keep({made.of({"team"}), {{"team_size", 4}}, 1, 2});
  const auto tuned = tuned_cases(cases, {});
  REQUIRE(tuned.size() == 2);
  CHECK(tuned[0].variants == std::vector<std::string>{"team"});
  CHECK(tuned[0].parameters.team_size() == 4);
  CHECK(tuned[0].tuned_for_this_machine);
  CHECK(tuned[0].suffix.empty());
  CHECK(tuned[1].variants == std::vector<std::string>{"range", "tiled"});
  CHECK(tuned[1].parameters.team_size() == 0);
  CHECK_FALSE(tuned[1].tuned_for_this_machine);
  keep({made.of({"team"}), {{"team_size", 8}}, 1, 2});  // refused since
  CHECK_THROWS_AS(tuned_cases(cases, {}), MachineError);
}

TEST_CASE("a damaged file is named, and replaced by the next choice") {
  const CacheFolder cache;
  const Made made;
  const Choice choice{made.of({"team"}), {{"team_size", 4}}, 1, 2};
  keep(choice);
  const auto whole = nlohmann::json::parse(read_file(CacheFolder::file()));
  auto foreign = whole, listless = whole, wrong = whole;
  foreign["machine"]["threads"] = 0;
  listless["choices"] = 3;
  wrong["choices"][0]["values"]["team_size"] = 4;
  for (const auto& text : {std::string(), std::string("{"), std::string("[]"), foreign.dump(),
                           listless.dump(), wrong.dump()}) {
    INFO(text);
    write_file(CacheFolder::file(), text);
    try {
      static_cast<void>(kept(choice.of));
      FAIL("not refused");
    } catch (const MachineError& error) {
      CHECK(std::string(error.what()).find(CacheFolder::file()) != std::string::npos);
    }
    keep(choice);
    CHECK(kept(choice.of) == choice.values);
  }
}

TEST_CASE("the folder is the first that a variable names") {
  const auto space = describe_space(space_names().front());
  const Variable home("HOME", "/third"), xdg("XDG_CACHE_HOME", "/second");
  {
    const Variable ours("PARALLAX_CACHE", "/first");
    CHECK(cache_file("tuned", space).rfind("/first/tuned-", 0) == 0);
  }
  const Variable ours("PARALLAX_CACHE", "");
  CHECK(cache_file("tuned", space).rfind("/second/parallax/tuned-", 0) == 0);
  SpaceInfo odd = space;
  odd.device = "a/b (R) \xc3\xa9";
  CHECK(cache_file("tuned", odd).find("/second/parallax/tuned-a-b--R-----") == 0);
  CHECK(cache_file("tuned", odd) != cache_file("tuned", space));
  const Variable relative("XDG_CACHE_HOME", "second");
  CHECK(cache_file("tuned", space).rfind("/third/.cache/parallax/tuned-", 0) == 0);
  const Variable nowhere("HOME", "");
  CHECK_THROWS_AS(cache_file("tuned", space), MachineError);
}

TEST_CASE("a folder that cannot be made is said in one line") {
  const test::TemporaryFile file;
  std::ofstream(file.path()) << "no folder";
  const Variable cache("PARALLAX_CACHE", file.path());
  CHECK_THROWS_AS(require_cache("tuned", describe_space(space_names().front())), MachineError);
}

TEST_CASE("tuning tries every value, and keeps none that is wrong or too large for the kernel") {
  const CacheFolder cache;
  const Made made;
  RunOptions options;
  options.size = "tiny";
  options.quiet = true;
  options.timing.repeat = 2;
  options.timing.repeat_given = true;
  options.timing.min_time = 0;
  CHECK(tune({made.of({"range", "team"})}, options) == static_cast<int>(Status::check_failed));
  CHECK(kept(made.of({"team"})) == Set{});  // one thread is its own size, two are wrong
  CHECK_FALSE(kept(made.of({"range"})));
  CHECK_THROWS_AS(tune({made.of({"range"})}, options), UsageError);
}
