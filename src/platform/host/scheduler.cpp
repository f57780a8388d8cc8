// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/host/scheduler.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <sstream>

#include "platform/host/processors.hpp"
#include "platform/host/system_files.hpp"

namespace parallax {
namespace {

std::optional<double> stolen_ns(const std::string& root, const ProcessorSet& processors) {
  std::optional<double> ticks;
  for (const auto& line : system_files::lines(root + "/proc/stat")) {
    std::istringstream words(line);
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, io = 0, irq = 0, soft = 0, steal = 0;
    words >> name >> user >> nice >> system >> idle >> io >> irq >> soft >> steal;
    if (!words || !name.starts_with("cpu") || name == "cpu") continue;
    if (processors.count(std::stoul(name.substr(3))) > 0) ticks = ticks.value_or(0) + steal;
  }
  if (ticks) *ticks *= 1e9 / static_cast<double>(sysconf(_SC_CLK_TCK));
  return ticks;
}

}  // namespace

SchedulerReading read_scheduler(const std::string& root) {
  SchedulerReading reading;
  ProcessorSet processors;
  for (const auto& task : system_files::entries(root + "/proc/self/task")) {
    // "time on a processor, time waiting for one, time slices", ns.
    if (const auto times = system_files::numbers(task + "/schedstat"); times.size() >= 2)
      reading.waited_ns[std::stoi(std::filesystem::path(task).filename())] = times[1];
    processors.merge(
        parse_processors(system_files::field(task + "/status", "Cpus_allowed_list").value_or("")));
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
