// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Command lines, a line for each argument. Of `run` the dry run, which stops where Kokkos would
// start; and `list`. The other commands write files, measure or start Python.
#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "input.hpp"
#include "program/command_line.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream text(std::string(data, data + size));
  std::vector<std::string> arguments{"parallax"};
  for (std::string line; std::getline(text, line);) {
    if (line.find('\0') != std::string::npos) return -1;  // no argument has one
    if (line.find("--dry") == 0) return -1;               // not what would run after all
    arguments.push_back(line);
    if (arguments.size() == 2 && line == "run") arguments.emplace_back("--dry-run");
  }
  const std::vector<std::string> commands{"run", "list"};
  if (arguments.size() < 2 || !parallax::contains(commands, arguments[1])) return -1;
  // `--json --dry-run` is a file of that name: another `run` without it would run.
  if (std::count(arguments.begin() + 1, arguments.end(), arguments[1]) > 1) return -1;
  std::vector<char*> pointers;
  for (auto& argument : arguments) pointers.push_back(argument.data());
  const int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  char* said = nullptr;
  std::size_t length = 0;
  std::FILE* const error = std::exchange(stderr, open_memstream(&said, &length));
  const int status = parallax::command_line(count, pointers.data());
  std::fclose(std::exchange(stderr, error));
  const std::string line(said, length);
  std::free(said);
  const bool refused = status == 2 || status == 3;
  if (refused ? std::count(line.begin(), line.end(), '\n') != 1 ||
                    line.starts_with("parallax: unexpected error")
              : status != 0 && status != 1)
    std::abort();
  return 0;
}
