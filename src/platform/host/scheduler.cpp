// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/host/scheduler.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace parallax {
namespace {

namespace fs = std::filesystem;

/// Adds the numbers of a list such as "0-3,8" to a set.
void add_list(std::set<int>& numbers, const std::string& list) {
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto dash = part.find('-');
    const int first = std::atoi(part.c_str());
    const int last = dash == std::string::npos ? first : std::atoi(part.c_str() + dash + 1);
    for (int number = first; number <= last; ++number) numbers.insert(number);
  }
}

std::set<int> allowed_processors(const std::string& status) {
  std::set<int> allowed;
  std::ifstream file(status);
  const std::string field = "Cpus_allowed_list:";
  for (std::string line; std::getline(file, line);)
    if (line.rfind(field, 0) == 0) add_list(allowed, line.substr(field.size()));
  return allowed;
}

std::optional<double> stolen_ns(const std::string& root, const std::set<int>& processors) {
  std::ifstream file(root + "/proc/stat");
  double ticks = 0;
  bool found = false;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, io = 0, irq = 0, soft = 0, steal = 0;
    words >> name >> user >> nice >> system >> idle >> io >> irq >> soft >> steal;
    if (!words || name.rfind("cpu", 0) != 0 || name == "cpu") continue;
    if (processors.count(std::atoi(name.c_str() + 3)) == 0) continue;
    ticks += steal;
    found = true;
  }
  if (!found) return std::nullopt;
  return ticks * 1e9 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

SchedulerReading read_scheduler(const std::string& root) {
  SchedulerReading reading;
  std::set<int> processors;
  std::error_code ignored;
  for (const auto& task : fs::directory_iterator(root + "/proc/self/task", ignored)) {
    const auto folder = task.path().string();
    // "time on a processor, time waiting for one, time slices", ns.
    double ran = 0, waited = 0;
    if (std::ifstream(folder + "/schedstat") >> ran >> waited)
      reading.waited_ns[std::atoi(task.path().filename().c_str())] = waited;
    processors.merge(allowed_processors(folder + "/status"));
  }
  reading.processors = static_cast<int>(processors.size());
  reading.stolen_ns = stolen_ns(root, processors);
  timespec cpu{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  reading.cpu_ns = static_cast<double>(cpu.tv_sec) * 1e9 + static_cast<double>(cpu.tv_nsec);
  reading.at = std::chrono::steady_clock::now();
  return reading;
}

long involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

}  // namespace parallax
