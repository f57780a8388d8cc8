// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "program/python.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "platform/base/error.hpp"
#include "suite.hpp"

namespace parallax {
namespace {

namespace fs = std::filesystem;

/// Beside an installed program, or in the sources that this one was built from.
std::string find_script(const std::string& name) {
  std::error_code error;
  const auto program = fs::read_symlink("/proc/self/exe", error);
  for (const auto& folder : {program.parent_path() / "../share/parallax/python",
                             fs::path(suite::source_folder) / "python"})
    if (fs::exists(folder / name, error)) return (folder / name).lexically_normal().string();
  throw MachineError("cannot start Python: " + name +
                     " is neither in share/parallax/python beside the program nor in the sources "
                     "it was built from");
}

}  // namespace

void start_python(const std::string& script, const std::vector<std::string>& words) {
  const char* const chosen = std::getenv("PARALLAX_PYTHON");
  std::vector<std::string> command{chosen != nullptr && *chosen != '\0' ? chosen : "python3",
                                   find_script(script)};
  command.insert(command.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (auto& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);
  execvp(argv.front(), argv.data());
  throw MachineError("cannot run '" + command.front() + "' (" + std::strerror(errno) +
                     "); install python3 (and python3-matplotlib, to draw), or name another "
                     "Python in PARALLAX_PYTHON");
}

}  // namespace parallax
