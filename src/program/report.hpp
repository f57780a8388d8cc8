// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace parallax {

/// What `parallax report` was asked for (docs/report.md).
struct ReportOptions {
  std::vector<std::string> files;
  std::string output;
  std::optional<std::string> title, charts, bars;
  std::vector<std::string> images, image_folders, kernel_timers;
};

/// Hands over to python/make_report.py, which draws the page with matplotlib: this process becomes
/// that one, with its exit status. Throws MachineError where there is no Python to become.
[[noreturn]] void make_report(const ReportOptions& options);

/// `parallax compare --series`, likewise to python/make_series.py: a chart of the times by commit.
[[noreturn]] void make_series(const std::vector<std::string>& files, const std::string& output);

/// What `parallax portability` was asked for (docs/portability.md).
struct PortabilityOptions {
  std::vector<std::string> files;
  std::optional<std::string> output, p3, json, exercise, precision;
};

/// Likewise to python/make_portability.py.
[[noreturn]] void make_portability(const PortabilityOptions& options);

}  // namespace parallax
