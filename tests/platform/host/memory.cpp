// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/host/memory.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "support/folder.hpp"

using namespace parallax;

namespace {

constexpr double mib = 1048576;

/// A machine of 8 GiB, 6 of them available, in a new folder.
class MachineWithMemory {
 public:
  MachineWithMemory() {
    write("/proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 6291456 kB\n");
  }

  void write(const std::string& path, const std::string& text) const { root_.write(path, text); }
  [[nodiscard]] HostMemory memory() const { return host_memory(root_.path()); }

 private:
  test::Folder root_;
};

/// This process's own limits hold on a made-up machine, too.
void need_no_limits() {
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit{};
    REQUIRE(getrlimit(resource, &limit) == 0);
    if (limit.rlim_cur != RLIM_INFINITY) SKIP("the memory of this process is limited");
  }
}

}  // namespace

TEST_CASE("without limits, memory is the machine's") {
  need_no_limits();
  const MachineWithMemory machine;
  CHECK(machine.memory().total == 8192 * mib);
  CHECK(machine.memory().free == 6144 * mib);
}

TEST_CASE("every control group above the process limits its memory") {
  need_no_limits();
  const MachineWithMemory machine;
  machine.write("/proc/self/cgroup", "0::/slurm/job_7/step_0/task_0");
  const std::string top = "/sys/fs/cgroup/slurm";
  for (const std::string group : {"", "/job_7", "/job_7/step_0", "/job_7/step_0/task_0"}) {
    machine.write(top + group + "/memory.max", "max");
    machine.write(top + group + "/memory.current", "104857600");
  }
  CHECK(machine.memory().free == 6144 * mib);
  machine.write(top + "/job_7/memory.max", "1073741824");
  CHECK(machine.memory().total == 1024 * mib);
  CHECK(machine.memory().free == 924 * mib);
  // Files that were read are in the group's account until somebody needs the memory.
  machine.write(top + "/job_7/memory.stat", "anon 52428800\ninactive_file 52428800");
  CHECK(machine.memory().free == 974 * mib);
  machine.write(top + "/job_7/step_0/memory.max", "209715200");
  CHECK(machine.memory().free == 100 * mib);
  machine.write(top + "/job_7/step_0/memory.current", "314572800");
  CHECK(machine.memory().free == 0);
}

TEST_CASE("control groups of version 1 limit it, too") {
  need_no_limits();
  const MachineWithMemory machine;
  machine.write("/proc/self/cgroup", "9:cpu,cpuacct:/x\n4:memory:/slurm/job_7/step_0\n0::/x");
  const std::string top = "/sys/fs/cgroup/memory";
  machine.write(top + "/memory.limit_in_bytes", "9223372036854771712");
  machine.write(top + "/memory.usage_in_bytes", "0");
  CHECK(machine.memory().free == 6144 * mib);
  machine.write(top + "/slurm/job_7/memory.limit_in_bytes", "1073741824");
  machine.write(top + "/slurm/job_7/memory.usage_in_bytes", "209715200");
  machine.write(top + "/slurm/job_7/memory.stat", "total_inactive_file 104857600");
  CHECK(machine.memory().total == 1024 * mib);
  CHECK(machine.memory().free == 924 * mib);
}

TEST_CASE("resource limits of the process limit it, too") {
  const MachineWithMemory machine;
  machine.write("/proc/self/status", "VmSize: 102400 kB\nVmData: 51200 kB");
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    const pid_t child = fork();  // such a limit cannot be taken back
    if (child == 0) {
      const rlimit most{512 * 1048576, 512 * 1048576};
      const bool set = setrlimit(resource, &most) == 0;
      const double used = resource == RLIMIT_AS ? 100 * mib : 50 * mib;
      const auto memory = machine.memory();
      _exit(set && memory.total == 512 * mib && memory.free == 512 * mib - used ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
}
