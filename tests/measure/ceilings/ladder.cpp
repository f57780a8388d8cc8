// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "measure/ceilings/ladder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "measure/ceilings/kept_ladder.hpp"
#include "measure/ceilings/machine_cache.hpp"
#include "platform/base/error.hpp"
#include "platform/base/files.hpp"
#include "support/folder.hpp"
#include "support/variable.hpp"

using namespace parallax;
using test::Folder, test::Variable;

namespace {

Ladder example() {
  Ladder ladder;
  for (const char* kind : ladder_kinds)
    ladder.kinds[kind] = {{16384, 1.5e9, true}, {32768, 3e9, false}};
  ladder.launch = {0, 2e5, true};
  for (const char* kind : {"random", "atomic", "atomic_in_order", "h2d"})
    ladder.accesses[kind] = {{8, 1e7, true}, {4096, 3e7, false}};
  ladder.date = "2026-11-22T21:00:00Z";
  ladder.host = "node";
  return ladder;
}

SpaceInfo small_space() {
  auto space = describe_space(space_names().front());
  space.memory_free = 4 << 20;  // working sets up to 256 KiB
  return space;
}

/// A space with two small caches, and an empty folder in which its ceilings are kept.
struct SmallSpace {
  Folder folder{};
  Variable chosen{"PARALLAX_CACHE", folder.file("a/b")};
  SpaceInfo space = small_space();
  std::vector<Cache> caches{{1, 32768, 1}, {2, 65536, 1}};
  std::string key = ladder_key(space, caches);
};

}  // namespace

TEST_CASE("a rate between two working sets lies between theirs, by their logarithms") {
  const std::vector<Rung> rungs{{100, 1e9, true}, {400, 4e9, true}, {1600, 1e9, false}};
  CHECK(rung_at(rungs, 100).rate == 1e9);
  CHECK(std::abs(rung_at(rungs, 200).rate - 2e9) < 1);
  CHECK(std::abs(rung_at(rungs, 800).rate - 2e9) < 1);
  CHECK(rung_at(rungs, 400).sure);
  CHECK_FALSE(rung_at(rungs, 800).sure);
  CHECK(rung_at(rungs, 1).rate == 1e9);
  CHECK(rung_at(rungs, 1e6).rate == 1e9);
  CHECK_FALSE(rung_at(rungs, 1e6).sure);
}

TEST_CASE("a kept ladder is the one that was written") {
  const auto read = ladder_of(json_of(example()));
  REQUIRE(read);
  CHECK(read->kept);
  CHECK(read->date == "2026-11-22T21:00:00Z");
  CHECK(read->host == "node");
  CHECK(read->launch.rate == 2e5);
  REQUIRE(read->kinds.at("copy").size() == 2);
  CHECK(read->kinds.at("copy")[0].rate == 1.5e9);
  CHECK(read->kinds.at("copy")[1].bytes == 32768);
  CHECK_FALSE(read->kinds.at("copy")[1].sure);
  CHECK(read->accesses.size() == 4);
  CHECK(read->accesses.at("random")[1].bytes == 4096);
  CHECK(read->accesses.at("h2d")[1].rate == 3e7);
  CHECK_FALSE(read->accesses.at("atomic")[1].sure);
}

TEST_CASE("what is damaged is no ladder") {
  CHECK_FALSE(ladder_of(nullptr));
  CHECK_FALSE(ladder_of(nlohmann::json::array()));
  CHECK_FALSE(ladder_of({{"date", "2026-11-22T21:00:00Z"}}));
  const auto changed = [&](auto change) {
    auto ladder = example();
    change(ladder);
    return ladder_of(json_of(ladder)).has_value();
  };
  CHECK(changed([](Ladder&) {}));
  CHECK_FALSE(changed([](Ladder& l) { l.kinds["read"][0].rate = 0; }));
  CHECK_FALSE(changed([](Ladder& l) { l.kinds["read"][0].rate = std::nan(""); }));
  CHECK_FALSE(changed([](Ladder& l) { l.kinds["read"][1].bytes = 16384; }));  // not sorted
  CHECK_FALSE(changed([](Ladder& l) { l.kinds["read"].clear(); }));
  CHECK_FALSE(changed([](Ladder& l) { l.kinds.erase("triad"); }));
  CHECK_FALSE(changed([](Ladder& l) { l.launch.rate = -1; }));
  CHECK_FALSE(changed([](Ladder& l) { l.accesses.erase("random"); }));
  CHECK_FALSE(changed([](Ladder& l) { l.accesses["atomic"][1].bytes = 8; }));  // not sorted
  CHECK(changed([](Ladder& l) { l.accesses.erase("h2d"); }));                  // a host's
}

TEST_CASE("what was changed in a kept ladder is not believed, nor shown to a terminal") {
  auto json = json_of(example());
  CHECK(ladder_of(json));
  json["accesses_per_second"]["atomic"][0][1] = 1e4;
  CHECK_FALSE(ladder_of(json));
  auto ladder = example();
  ladder.host = "node\x1b[2J";
  CHECK(ladder_of(json_of(ladder))->host == "node\\x1b[2J");
}

TEST_CASE("a ladder holds for one space of one machine and build") {
  const Folder folder;
  const Variable chosen("PARALLAX_CACHE", folder.path());
  SpaceInfo space;
  space.name = "openmp";
  space.device = "caf\xe9";  // a name that is not UTF-8 is found again
  space.concurrency = 4;
  space.places = 4;
  const std::vector<Cache> caches{{1, 32768, 4}};
  write_cache("ceilings", space, json_of(example()), ladder_key(space, caches));
  const auto found = [](const SpaceInfo& of, const std::vector<Cache>& with) {
    return !read_cache("ceilings", of, ladder_key(of, with)).is_null();
  };
  CHECK(found(space, caches));
  auto other = space;
  other.concurrency = 8;
  CHECK_FALSE(found(other, caches));
  other = space;
  other.places = 1;
  CHECK_FALSE(found(other, caches));
  other = space;
  other.device = "another CPU";
  CHECK_FALSE(found(other, caches));
  CHECK_FALSE(found(space, {{1, 32768, 2}}));
  other = space;
  other.device = "caf_";  // of the same file name
  CHECK_THROWS_AS(found(other, caches), MachineError);
}

TEST_CASE("a ladder is measured once and kept; a damaged file is measured again") {
  const SmallSpace small;
  const auto& [folder, chosen, space, caches, key] = small;
  const auto file = cache_file("ceilings", space, key);
  const auto first = kept_ladder(space, caches, false);
  REQUIRE_FALSE(first.empty());
  CHECK_FALSE(first.kept);
  for (const char* kind : ladder_kinds) {
    const auto& rungs = first.kinds.at(kind);
    INFO(kind);
    REQUIRE(rungs.size() >= 3);
    CHECK(rungs.front().bytes == 16384);
    for (const auto& rung : rungs) CHECK((std::isfinite(rung.rate) && rung.rate > 0));
  }
  if (space.on_host) CHECK(first.kinds.at("read").back().bytes == 65536);
  CHECK(first.launch.rate > 0);
  const auto text = read_file(file);
  const auto second = kept_ladder(space, caches, false);
  CHECK(second.kept);
  for (const auto& [now, before] :
       {std::pair(second.kinds.at("triad")[1], first.kinds.at("triad")[1]),
        std::pair(second.accesses.at("random")[0], first.accesses.at("random")[0])})
    CHECK((before.sure ? now.rate == before.rate : now.rate >= before.rate));
  std::ofstream(file) << text.substr(0, 100);
  CHECK_FALSE(kept_ladder(space, caches, false).kept);
  CHECK(kept_ladder(space, caches, false).kept);
  CHECK_FALSE(kept_ladder(space, caches, true).kept);
}

TEST_CASE("what is doubtful of a kept ladder is measured again, and what is sure stays") {
  const SmallSpace small;
  const auto& [folder, chosen, space, caches, key] = small;
  kept_ladder(space, caches, false);
  auto ladder = ladder_of(read_cache("ceilings", space, key));
  REQUIRE(ladder);
  ladder->kinds["read"][0] = {16384, 1, false};
  ladder->kinds["read"][1] = {32768, 2, true};
  ladder->launch = {0, 0.5, false};
  ladder->accesses["atomic"][0] = {8, 3, false};
  write_cache("ceilings", space, json_of(*ladder), key);
  const auto second = kept_ladder(space, caches, false);
  CHECK(second.kept);
  CHECK(second.kinds.at("read")[0].rate > 1);
  CHECK(second.kinds.at("read")[1].rate == 2);
  CHECK(second.launch.rate > 0.5);
  CHECK(second.accesses.at("atomic")[0].rate > 3);
  CHECK(read_cache("ceilings", space, key).at("launch").at(1) == second.launch.rate);
}

TEST_CASE("a ladder kept by a version that knew no updates is read, and its updates are measured") {
  const SmallSpace small;
  const auto& [folder, chosen, space, caches, key] = small;
  auto old = kept_ladder(space, caches, false);
  old.kinds.erase("update");
  old.kinds["read"][1] = {32768, 2, true};
  write_cache("ceilings", space, json_of(old), key);
  const auto now = kept_ladder(space, caches, false);
  CHECK(now.kept);
  CHECK(now.kinds.at("read")[1].rate == 2);
  REQUIRE(now.kinds.at("update").size() == now.kinds.at("copy").size());
  for (const auto& rung : now.kinds.at("update")) CHECK(rung.rate > 0);
  CHECK(read_cache("ceilings", space, key).at("bytes_per_second").contains("update"));
}

TEST_CASE("a ladder that cannot be kept is used all the same") {
  const Variable chosen("PARALLAX_CACHE", "/dev/null/folder");
  auto space = describe_space(space_names().front());
  space.memory_free = 1 << 20;
  CHECK_FALSE(kept_ladder(space, {{1, 32768, 1}}, false).empty());
}
