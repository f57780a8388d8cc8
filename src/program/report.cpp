// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "program/report.hpp"

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

/// The words of Python's command line.
class PythonCommand {
 public:
  explicit PythonCommand(const std::string& script) {
    const char* const chosen = std::getenv("PARALLAX_PYTHON");
    words_ = {chosen != nullptr && *chosen != '\0' ? chosen : "python3", find_script(script)};
  }

  void add(const char* flag, const std::vector<std::string>& values) {
    // One word, so that a value may begin with a hyphen.
    for (const auto& value : values) words_.push_back(std::string(flag) + "=" + value);
  }
  void add(const char* flag, const std::optional<std::string>& value) {
    if (value) add(flag, std::vector{*value});
  }

  /// This process becomes Python.
  [[noreturn]] void start(const std::vector<std::string>& files) {
    words_.emplace_back("--");
    words_.insert(words_.end(), files.begin(), files.end());
    std::vector<char*> argv;
    for (auto& word : words_) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::fflush(nullptr);
    execvp(argv.front(), argv.data());
    throw MachineError("cannot run '" + words_.front() + "' (" + std::strerror(errno) +
                       "); install python3 and python3-matplotlib, or name a Python that has "
                       "matplotlib in PARALLAX_PYTHON");
  }

 private:
  std::vector<std::string> words_;
};

}  // namespace

void make_report(const ReportOptions& options) {
  PythonCommand command("make_report.py");
  command.add("--output", std::vector{options.output});
  command.add("--title", options.title);
  command.add("--charts", options.charts);
  command.add("--bars", options.bars);
  command.add("--image", options.images);
  command.add("--image-dir", options.image_folders);
  command.add("--kernel-timer", options.kernel_timers);
  command.start(options.files);
}

void make_series(const std::vector<std::string>& files, const std::string& output) {
  PythonCommand command("make_series.py");
  command.add("--output", std::vector{output});
  command.start(files);
}

void make_portability(const PortabilityOptions& options) {
  PythonCommand command("make_portability.py");
  command.add("--output", options.output);
  command.add("--p3", options.p3);
  command.add("--json", options.json);
  command.add("--exercise", options.exercise);
  command.add("--precision", options.precision);
  command.start(options.files);
}

}  // namespace parallax
