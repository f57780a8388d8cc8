// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/host/memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <sstream>

#include "platform/host/system_files.hpp"

namespace parallax {
namespace {

/// A field in bytes or in kB; 0 where it is missing.
double bytes_of(const std::string& file, const std::string& name) {
  std::istringstream words(system_files::field(file, name).value_or(""));
  double value = 0;
  std::string unit;
  words >> value >> unit;
  return unit == "kB" ? value * 1024 : value;
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
    const auto most = system_files::number(folder + groups.most),
               used = system_files::number(folder + groups.used);
    // "max", or a file that is not there, is no number. (Version 1 writes a huge one for no limit.)
    if (most && used) limit(memory, *most, *used - bytes_of(folder + "memory.stat", groups.cache));
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
  HostMemory memory{bytes_of(meminfo, "MemAvailable"), bytes_of(meminfo, "MemTotal")};
  const std::string groups = root + "/sys/fs/cgroup";
  // "4:memory:/slurm/job_7" in version 1, "0::/system.slice/job_7" in version 2.
  for (const auto& line : system_files::lines(root + "/proc/self/cgroup")) {
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
  limit_by_resource(memory, RLIMIT_AS, bytes_of(status, "VmSize"));
  limit_by_resource(memory, RLIMIT_DATA, bytes_of(status, "VmData"));
  return memory;
}

void prefer_huge_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  if (begin == nullptr || bytes < 4 << 20) return;
  // A kernel without them refuses, and the array stays as it is.
  const auto before = reinterpret_cast<std::uintptr_t>(begin) % sysconf(_SC_PAGESIZE);
  madvise(static_cast<char*>(begin) - before, bytes + before, MADV_HUGEPAGE);
#endif
}

}  // namespace parallax
