// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/host/memory.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace parallax {
namespace {

/// A field of a file of lines "name value" or "name: value kB", bytes; 0 where it is missing.
double field(const std::string& path, const std::string& wanted) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name, unit;
    double value = 0;
    if (!(words >> name >> value)) continue;
    words >> unit;
    if (name == wanted) return unit == "kB" ? value * 1024 : value;
  }
  return 0;
}

void limit(HostMemory& memory, double most, double used) {
  memory.total = std::min(memory.total, most);
  memory.free = std::min(memory.free, std::max(most - used, 0.0));
}

/// The files of one version of control groups.
struct Groups {
  std::string mount, most, used, cache;  ///< cache: what memory.stat calls reclaimable files
};

/// A group and all of its ancestors.
void limit_by_groups(HostMemory& memory, const Groups& groups, std::string path) {
  while (true) {
    const std::string folder = groups.mount + path + "/";
    double most = 0, used = 0;
    // "max", or a file that is not there, is no number. (Version 1 writes a huge one for no limit.)
    if (std::ifstream(folder + groups.most) >> most && std::ifstream(folder + groups.used) >> used)
      limit(memory, most, used - field(folder + "memory.stat", groups.cache));
    if (path.empty()) return;
    path.erase(path.find_last_of('/'));
  }
}

void limit_by_resource(HostMemory& memory, decltype(RLIMIT_AS) resource, double used) {
  rlimit most{};
  if (getrlimit(resource, &most) == 0 && most.rlim_cur != RLIM_INFINITY)
    limit(memory, static_cast<double>(most.rlim_cur), used);
}

}  // namespace

HostMemory host_memory(const std::string& root) {
  const std::string meminfo = root + "/proc/meminfo", status = root + "/proc/self/status";
  HostMemory memory{field(meminfo, "MemAvailable:"), field(meminfo, "MemTotal:")};
  const std::string groups = root + "/sys/fs/cgroup";
  std::ifstream file(root + "/proc/self/cgroup");
  // "4:memory:/slurm/job_7" in version 1, "0::/system.slice/job_7" in version 2.
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string path = line.substr(second + 1);
    if (path.find("..") != std::string::npos || path == "/") path.clear();
    if (controllers == ",,")
      limit_by_groups(memory, {groups, "memory.max", "memory.current", "inactive_file"}, path);
    else if (controllers.find(",memory,") != std::string::npos)
      limit_by_groups(memory,
                      {groups + "/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                       "total_inactive_file"},
                      path);
  }
  limit_by_resource(memory, RLIMIT_AS, field(status, "VmSize:"));
  limit_by_resource(memory, RLIMIT_DATA, field(status, "VmData:"));
  return memory;
}

}  // namespace parallax
