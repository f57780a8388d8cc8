// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "harness/ladder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "harness/files.hpp"

using namespace parallax;
namespace fs = std::filesystem;

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

/// A variable of the environment, until the end of the block.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~Variable() { set(old_ ? old_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) const {
    if (value != nullptr)
      setenv(name_, value, 1);
    else
      unsetenv(name_);
  }
  const char* name_;
  std::optional<std::string> old_;
};

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "parallax-test-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path;
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
  const auto read = ladder_of(to_text(example(), "key"), "key");
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
  // A name of a device that is not UTF-8 is found again.
  CHECK(ladder_of(to_text(example(), "caf\xe9"), "caf\xe9"));
}

TEST_CASE("what is damaged, or of another machine, is no ladder") {
  const auto text = to_text(example(), "key");
  CHECK_FALSE(ladder_of(text, "another key"));
  CHECK_FALSE(ladder_of("", "key"));
  CHECK_FALSE(ladder_of(text.substr(0, text.size() / 2), "key"));
  CHECK_FALSE(ladder_of("[]", "key"));
  CHECK_FALSE(ladder_of(R"({"key": "key"})", "key"));
  const auto changed = [&](auto change) {
    auto ladder = example();
    change(ladder);
    return ladder_of(to_text(ladder, "key"), "key").has_value();
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

TEST_CASE("a ladder holds for one space of one machine and build") {
  SpaceInfo space;
  space.name = "openmp";
  space.device = "CPU";
  space.concurrency = 4;
  space.places = 4;
  const std::vector<Cache> caches{{1, 32768, 4}};
  const auto key = ladder_key(space, caches);
  CHECK(ladder_key(space, caches) == key);
  auto other = space;
  other.concurrency = 8;
  CHECK(ladder_key(other, caches) != key);
  other = space;
  other.places = 1;
  CHECK(ladder_key(other, caches) != key);
  other = space;
  other.device = "another CPU";
  CHECK(ladder_key(other, caches) != key);
  CHECK(ladder_key(space, {{1, 32768, 2}}) != key);
  CHECK(ladder_file("/x", space, key) != ladder_file("/x", space, key + " "));
  CHECK(ladder_file("/x", space, "").rfind("/x/ceilings-openmp-cbf29ce484222325.json", 0) == 0);
}

TEST_CASE("kept ladders lie in the user's cache") {
  const Variable ours("PARALLAX_CACHE", nullptr);
  const Variable home("HOME", "/home/someone");
  {
    const Variable xdg("XDG_CACHE_HOME", nullptr);
    CHECK(cache_folder() == "/home/someone/.cache/parallax");
  }
  const Variable xdg("XDG_CACHE_HOME", "/scratch/someone");
  CHECK(cache_folder() == "/scratch/someone/parallax");
  {
    const Variable relative("XDG_CACHE_HOME", "not/absolute");
    CHECK(cache_folder() == "/home/someone/.cache/parallax");
    const Variable homeless("HOME", nullptr);
    CHECK(cache_folder().empty());
  }
  const Variable chosen("PARALLAX_CACHE", "/tmp/here");
  CHECK(cache_folder() == "/tmp/here");
}

TEST_CASE("a ladder is measured once and kept; a damaged file is measured again") {
  const Folder folder;
  const Variable chosen("PARALLAX_CACHE", (folder.path + "/a/b").c_str());
  auto space = describe_space(space_names().front());
  space.memory_free = 4 << 20;  // working sets up to 256 KiB
  const std::vector<Cache> caches{{1, 32768, 1}, {2, 65536, 1}};
  const auto file = ladder_file(cache_folder(), space, ladder_key(space, caches));
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
  CHECK(second.kinds.at("triad")[1].rate == first.kinds.at("triad")[1].rate);
  CHECK(second.accesses.at("random")[0].rate == first.accesses.at("random")[0].rate);
  std::ofstream(file) << text.substr(0, 100);
  CHECK_FALSE(kept_ladder(space, caches, false).kept);
  CHECK(kept_ladder(space, caches, false).kept);
  CHECK_FALSE(kept_ladder(space, caches, true).kept);
}

TEST_CASE("a ladder that cannot be kept is used all the same") {
  const Variable chosen("PARALLAX_CACHE", "/dev/null/folder");
  auto space = describe_space(space_names().front());
  space.memory_free = 1 << 20;
  CHECK_FALSE(kept_ladder(space, {{1, 32768, 1}}, false).empty());
}
