// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace parallax {

/// A command that a program in python/ carries out. That program declares the options, reads the
/// words, and has the exit statuses of docs/command-line.md.
struct PythonCommand {
  const char *name, *script, *summary;
};

inline constexpr PythonCommand python_commands[] = {
    {"compare", "compare_results.py", "ratios between results files"},
    {"report", "make_report.py", "one page of results to look at"},
    {"portability", "make_portability.py",
     "the performance-portability metric of several machines"},
    {"why", "why.py", "what bounds a row, by its counters, and what would help"},
};

/// Of `run --counters`: it starts this program again, under profilers.
inline constexpr const char* counting_script = "counters.py";

/// This process becomes Python, with these words, unread. Throws MachineError where there is no
/// Python to become.
[[noreturn]] void start_python(const std::string& script, const std::vector<std::string>& words);

}  // namespace parallax
