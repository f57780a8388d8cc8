// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "harness/report.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "harness/error.hpp"
#include "suite.hpp"

namespace parallax {
namespace {

namespace fs = std::filesystem;

/// Beside an installed program, or in the sources that this one was built from.
std::string find_script() {
  constexpr const char* name = "make_report.py";
  std::error_code error;
  const auto program = fs::read_symlink("/proc/self/exe", error);
  for (const auto& folder : {program.parent_path() / "../share/parallax/python",
                             fs::path(suite::source_folder) / "python"})
    if (fs::exists(folder / name, error)) return (folder / name).lexically_normal().string();
  throw MachineError(std::string("cannot make a report: ") + name +
                     " is neither in share/parallax/python beside the program nor in the sources "
                     "it was built from");
}

}  // namespace

void make_report(const ReportOptions& options) {
  const char* const chosen = std::getenv("PARALLAX_PYTHON");
  const std::string python = chosen != nullptr && *chosen != '\0' ? chosen : "python3";
  std::vector<std::string> arguments{python, find_script()};
  const auto add = [&](const char* flag, const std::vector<std::string>& values) {
    // One word, so that a value may begin with a hyphen.
    for (const auto& value : values) arguments.push_back(std::string(flag) + "=" + value);
  };
  add("--output", {options.output});
  if (options.title) add("--title", {*options.title});
  if (options.charts) add("--charts", {*options.charts});
  if (options.bars) add("--bars", {*options.bars});
  add("--image", options.images);
  add("--image-dir", options.image_folders);
  add("--kernel-timer", options.kernel_timers);
  arguments.emplace_back("--");
  for (const auto& file : options.files) arguments.push_back(file);
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);
  execvp(python.c_str(), argv.data());
  throw MachineError("cannot make a report: cannot run '" + python + "' (" + std::strerror(errno) +
                     "); install python3 and python3-matplotlib, or name a Python that has "
                     "matplotlib in PARALLAX_PYTHON");
}

}  // namespace parallax
