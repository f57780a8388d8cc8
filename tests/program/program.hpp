// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "platform/device/space_info.hpp"
#include "support/folder.hpp"

/// The finished program as a process, as the tests of this folder run it.
namespace parallax::program {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A space of the host that is built in: Serial where there is one. The host's spaces come first.
inline const std::string host = space_names().front();

using test::Folder;

inline std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Outcome {
  int status;
  std::string out, err;
};

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

inline std::string program(const std::string& name) {
  return std::string(PARALLAX_PROGRAM_DIR) + "/" + name;
}

/// What a child does between fork and exec.
using Setup = std::function<void()>;

inline pid_t start(const std::string& name, const std::vector<std::string>& arguments,
                   const Folder& folder, const Setup& setup = {}) {
  std::fflush(nullptr);  // or the child would print what is buffered here once more
  const pid_t child = fork();
  if (child != 0) return child;
  if (std::freopen(folder.file("out").c_str(), "w", stdout) == nullptr ||
      std::freopen(folder.file("err").c_str(), "w", stderr) == nullptr)
    _exit(126);
  if (setup) setup();
  const std::string path = program(name);
  std::vector<char*> argv{const_cast<char*>(path.c_str())};
  for (const auto& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  execv(path.c_str(), argv.data());
  _exit(127);
}

inline int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

inline Outcome run(const std::vector<std::string>& arguments, const std::string& name = "parallax",
                   const Setup& setup = {}) {
  const Folder folder;
  const int status = wait_for(start(name, arguments, folder, setup));
  return {status, slurp(folder.file("out")), slurp(folder.file("err"))};
}

/// Bad input: the status, nothing on standard output, and one line that holds every one of `words`.
inline void require_refused(int status, const std::vector<std::string>& arguments,
                            const std::vector<std::string>& words, const Setup& setup = {}) {
  const auto outcome = run(arguments, "parallax", setup);
  INFO("standard error: " << outcome.err);
  CHECK(outcome.status == status);
  CHECK(outcome.out.empty());
  const auto lines = lines_of(outcome.err);
  REQUIRE(lines.size() == 1);
  for (const auto& word : words) {
    INFO("expected: " << word);
    CHECK(lines.front().find(word) != std::string::npos);
  }
}

inline std::vector<std::string> exercise_names() {
  const auto list = Json::parse(run({"list", "--json"}).out);
  std::vector<std::string> names;
  for (const auto& e : list["exercises"]) names.push_back(e["name"]);
  REQUIRE(names.size() > 1);
  return names;
}

/// A run of a moment, with ceilings and without.
inline const std::vector<std::string> with_ceilings{
    "run", "vector_add", "--size", "tiny", "--repeat", "2", "--min-time", "0", "--max-time", "0"};

inline std::vector<std::string> with(std::vector<std::string> arguments,
                                     const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

inline const std::vector<std::string> quick = with(with_ceilings, {"--no-ceilings"});

}  // namespace parallax::program
