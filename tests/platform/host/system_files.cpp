// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/host/system_files.hpp"

#include <catch2/catch_test_macros.hpp>

#include "support/folder.hpp"

using namespace parallax;

TEST_CASE("a file of the system gives its line, its numbers or a field") {
  const test::Folder machine;
  machine.write("cpuinfo",
                "model\t\t: 85\nmodel name\t: A CPU: fast\nflags:\ncache_alignment 64 kB");
  machine.write("max", "max");
  machine.write("schedstat", "1.5 2 x 3");
  using Numbers = std::vector<double>;
  CHECK(system_files::first_line(machine.file("max")) == "max");
  CHECK(system_files::numbers(machine.file("schedstat")) == Numbers{1.5, 2});
  CHECK(system_files::number(machine.file("schedstat")) == 1.5);
  CHECK_FALSE(system_files::number(machine.file("max")));
  const auto field = [&](const char* name) {
    return system_files::field(machine.file("cpuinfo"), name);
  };
  CHECK(field("model name") == "A CPU: fast");
  CHECK(field("cache_alignment") == "64 kB");
  CHECK_FALSE(field("cache"));
  CHECK_FALSE(field("flags"));
}

TEST_CASE("a file that cannot be read gives nothing") {
  CHECK(system_files::lines("/nonexistent").empty());
  CHECK(system_files::entries("/nonexistent").empty());
  CHECK_FALSE(system_files::first_line("/nonexistent"));
  CHECK_FALSE(system_files::number("/nonexistent"));
  CHECK_FALSE(system_files::field("/nonexistent", "x"));
}

TEST_CASE("a folder's entries come in order") {
  const test::Folder machine;
  for (const char* name : {"cpu1/x", "cpu0/x", "other/x"}) machine.write(name, "");
  CHECK(system_files::entries(machine.path(), "cpu") ==
        std::vector<std::string>{machine.file("cpu0"), machine.file("cpu1")});
}
