// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/host/processors.hpp"

#include <sched.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "platform/host/system_files.hpp"

namespace parallax {
namespace {

/// Set while the program starts itself anew, so that it does so once: the process and what it has
/// counted, since runtimes may bind the first thread as early as they are loaded.
constexpr const char* bound_here = "PARALLAX_BOUND_THREADS";
constexpr const char* told_by[] = {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY",
                                   "KMP_AFFINITY"};

constexpr const char* free_them = "OMP_PROC_BIND=false leaves them free";

std::string reason;

struct Available {
  int processors = 0, cores = 0;
};

/// What the processor shares with others of its core, or its own number where the system does not
/// say.
std::string core_of(std::size_t processor) {
  const auto number = std::to_string(processor);
  return system_files::first_line("/sys/devices/system/cpu/cpu" + number +
                                  "/topology/thread_siblings_list")
      .value_or(number);
}

/// What this process counted before it started anew; nothing in another's environment.
std::optional<Available> counted_before() {
  const char* const text = std::getenv(bound_here);
  std::istringstream words(text != nullptr ? text : "");
  pid_t process = 0;
  Available found;
  if (words >> process >> found.processors >> found.cores && process == getpid()) return found;
  return {};
}

Available count() {
  if (const auto before = counted_before()) return *before;
  Available found;
  std::set<std::string> cores;
  for (const auto p : allowed_processors()) {
    ++found.processors;
    cores.insert(core_of(p));
  }
  found.cores = static_cast<int>(cores.size());
  return found;
}

const Available& available() {
  static const Available found = count();
  return found;
}

/// Returns only where it failed.
void start_anew(char** arguments) {
  char self[PATH_MAX] = {};
  // By its own name, so that the process keeps it in lists of processes.
  if (readlink("/proc/self/exe", self, sizeof self - 1) > 0) execv(self, arguments);
}

}  // namespace

int available_processors() {
  // Where the user has had threads bound, this one's mask is all that can be seen, and it is one
  // place of many.
  const bool bound = !counted_before() && choose_binding({std::getenv, 0, 0}).told &&
                     choose_binding({std::getenv, 0, 0}).reason != "OMP_PROC_BIND=false";
  return bound ? static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)) : available().processors;
}
int available_cores() { return available().cores; }

ProcessorSet allowed_processors() {
  ProcessorSet processors;
  // A machine may have more processors than a cpu_set_t of fixed size holds.
  for (std::size_t most = 1024; most <= 1024 * 1024; most *= 4) {
    cpu_set_t* const set = CPU_ALLOC(most);
    const std::size_t bytes = CPU_ALLOC_SIZE(most);
    const bool known = sched_getaffinity(0, bytes, set) == 0;
    for (std::size_t p = 0; known && p < most; ++p)
      if (CPU_ISSET_S(p, bytes, set)) processors.insert(p);
    CPU_FREE(set);
    if (known) break;
  }
  return processors;
}

void use_processors(const ProcessorSet& processors) {
  const std::size_t most = *processors.rbegin() + 1, bytes = CPU_ALLOC_SIZE(most);
  cpu_set_t* const set = CPU_ALLOC(most);
  CPU_ZERO_S(bytes, set);
  for (const auto p : processors) CPU_SET_S(p, bytes, set);
  sched_setaffinity(0, bytes, set);
  CPU_FREE(set);
}

std::string described_processors(const ProcessorSet& processors) {
  std::string text;
  for (const auto first : processors) {
    if (first > 0 && processors.count(first - 1) > 0) continue;
    auto last = first;
    while (processors.count(last + 1) > 0) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (last > first) text += "-" + std::to_string(last);
  }
  return text;
}

ProcessorSet parse_processors(const std::string& list) {
  ProcessorSet processors;
  std::istringstream parts(list);
  std::size_t first = 0;
  while (parts >> first) {
    std::size_t last = first;
    if (parts.peek() == '-') parts.ignore() >> last;
    while (first <= last) processors.insert(first++);
    parts.ignore();
  }
  return processors;
}

BindingChoice choose_binding(const BindingFacts& facts) {
  for (const char* name : told_by)
    if (const char* const value = facts.variable(name))
      return {false, true, std::string(name) + "=" + value};
  if (facts.cores == 1) return {false, false, "there is one core"};
  if (facts.threads < facts.cores)
    return {
        false, false,
        "fewer than the " + std::to_string(facts.cores) + " cores here, which neighbours may use"};
  return {true, false, free_them};
}

void bind_threads(int threads, char** arguments) {
  const auto choice = choose_binding({std::getenv, threads, available_cores()});
  const bool already = counted_before().has_value();
  reason = already ? free_them : choice.reason;
  unsetenv(bound_here);
  if (!already && choice.bind) {
    const auto counted = std::to_string(getpid()) + " " + std::to_string(available().processors) +
                         " " + std::to_string(available().cores);
    setenv(bound_here, counted.c_str(), 1);
    setenv("OMP_PROC_BIND", "spread", 1);
    setenv("OMP_PLACES", "cores", 1);
    start_anew(arguments);
    for (const char* name : {bound_here, "OMP_PROC_BIND", "OMP_PLACES"}) unsetenv(name);
    reason = "the program could not start itself anew";
  }
  leave_threads();
}

void leave_threads() {
  // Kokkos warns where OMP_PROC_BIND is missing. The runtime has read it by now, or reads here what
  // it would do without.
  const bool told = choose_binding({std::getenv, 0, 0}).told;
  setenv("OMP_PROC_BIND", told ? "true" : "false", 0);
}

const std::string& binding_reason() { return reason; }

}  // namespace parallax
