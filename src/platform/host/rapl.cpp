// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/host/rapl.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace parallax {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& root) {
  const char* const other = std::getenv("PARALLAX_RAPL");
  return root.empty() && other != nullptr ? other : root + "/sys/class/powercap";
}

std::optional<double> joules_in(const std::string& file) {
  double microjoules = 0;
  if (std::ifstream(file) >> microjoules) return microjoules / 1e6;
  return std::nullopt;
}

}  // namespace

Rapl::Rapl(const std::string& root, const std::string& kind) {
  const auto folder = folder_of(root);
  missing_ = "no RAPL: " + folder + " has no domain '" + kind + "'";
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    // Other zones, such as intel-rapl-mmio:0, count the same packages once more.
    const auto zone = entry.path().string();
    if (entry.path().filename().string().rfind("intel-rapl:", 0) != 0) continue;
    std::string name;
    std::ifstream(zone + "/name") >> name;
    if (name.rfind(kind, 0) == 0)
      counters_.push_back(
          {zone + "/energy_uj", joules_in(zone + "/max_energy_range_uj").value_or(0)});
  }
  std::sort(counters_.begin(), counters_.end(),
            [](const Counter& a, const Counter& b) { return a.file < b.file; });
}

std::optional<double> Rapl::joules() {
  if (counters_.empty()) return std::nullopt;
  double sum = 0;
  for (auto& counter : counters_) {
    const auto now = joules_in(counter.file);
    if (!now) {
      missing_ = "RAPL cannot be read: " + counter.file +
                 " is root's, who may run this program or 'chmod a+r' that file";
      return std::nullopt;
    }
    counter.total += *now - counter.last + (*now < counter.last ? counter.range : 0);
    counter.last = *now;
    sum += counter.total;
  }
  return sum;
}

}  // namespace parallax
