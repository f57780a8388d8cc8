// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/host/rapl.hpp"

#include <cstdlib>

#include "platform/host/system_files.hpp"

namespace parallax {
namespace {

std::string folder_of(const std::string& root) {
  const char* const other = std::getenv("PARALLAX_RAPL");
  return root.empty() && other != nullptr ? other : root + "/sys/class/powercap";
}

std::optional<double> joules_in(const std::string& file) {
  const auto microjoules = system_files::number(file);
  return microjoules ? std::optional(*microjoules / 1e6) : std::nullopt;
}

}  // namespace

Rapl::Rapl(const std::string& root, const std::string& kind) {
  const auto folder = folder_of(root);
  missing_ = "no RAPL: " + folder + " has no domain '" + kind + "'";
  // Other zones, such as intel-rapl-mmio:0, count the same packages once more.
  for (const auto& zone : system_files::entries(folder, "intel-rapl:"))
    if (system_files::first_line(zone + "/name").value_or("").starts_with(kind))
      counters_.push_back(
          {zone + "/energy_uj", joules_in(zone + "/max_energy_range_uj").value_or(0)});
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
