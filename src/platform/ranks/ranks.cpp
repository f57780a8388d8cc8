// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/ranks/ranks.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "platform/base/interrupt.hpp"
#include "platform/base/numbers.hpp"
#include "platform/device/bus_address.hpp"
#include "platform/host/host.hpp"
#include "platform/host/processors.hpp"
#include "platform/host/shared_library.hpp"
#include "platform/ranks/suspended.hpp"

namespace parallax::ranks {
namespace {

using bindings::Communicator;

Communicator* world = nullptr;  ///< of several ranks

/// What a launcher says: how many ranks it started, and which of them this one is.
struct Started {
  int ranks = 1, rank = 0;
  std::string said;  ///< "PMI_SIZE=2"
};

Started started() {
  const auto number = [](const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? 0 : std::atoi(value);
  };
  for (const auto& [size, rank] : {std::pair("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
                                   {"PMI_SIZE", "PMI_RANK"},
                                   {"PALS_NRANKS", "PALS_RANKID"},
                                   {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}})
    if (const int ranks = number(size); ranks > 0)
      return {ranks, number(rank), std::string(size) + "=" + std::to_string(ranks)};
  return {};
}

bool speaks = true;

void say(const std::string& line) {
  if (speaks && !line.empty()) std::fprintf(stderr, "parallax: %s\n", one_line(line).c_str());
}

/// "rank 2: why"; rank 0 needs no name.
std::string named(const std::string& why) {
  return rank() == 0 ? why : "rank " + std::to_string(rank()) + ": " + why;
}

/// Ends all ranks' processes. Whichever of this rank's threads comes first says why.
void end_all(int status, const std::string& line) {
  static std::atomic<bool> ending = false;
  if (ending.exchange(true)) return;
  say(line);
  std::fflush(nullptr);
  usleep(500'000);  // until the launcher, which ends as well, has passed it on
  world->abort(status);
}

/// Of the seconds that this thread has waited: those in which it did not run.
double suspended(double seconds) {
  using Clock = std::chrono::steady_clock;
  thread_local Clock::time_point last;
  thread_local Suspended away;
  const auto before = std::exchange(last, Clock::now());
  return away.seconds(seconds, std::chrono::duration<double>(last - before).count());
}

void end_if_it_takes_too_long(double seconds) {
  static std::atomic<int> signal = 0;
  seconds -= suspended(seconds);
  if (seconds < world->patience) signal = received_signal();
  // Ranks lose their patience one after the other, so that only one speaks. Where one rank stopped,
  // it is rank 0 or rank 1.
  if (seconds < world->patience + 1.5 * std::min(rank(), 8)) return;
  // A signal since then: the launcher ends this rank, for another one has spoken.
  const bool ended = received_signal() != signal;
  char text[80];
  std::snprintf(text, sizeof text, "waited %g s for the other ranks", world->patience);
  end_all(static_cast<int>(Status::machine_could_not), ended ? "" : named(text));
}

}  // namespace

void open(int* argc, char*** argv) {
  const auto launcher = started();
  const int wanted = launcher.ranks;
  if (wanted <= 1) return;
  const std::string left_over =
      " (no launcher? unset " + launcher.said.substr(0, launcher.said.find('=')) + ")";
  const char* const chosen = std::getenv("PARALLAX_MPI_LIBRARY");
  const auto files =
      chosen != nullptr ? std::vector<std::string>{chosen} : beside_program("libparallax_mpi.so");
  if (files.empty()) {
    // One line is enough; a terminal has no other rank's.
    speaks = launcher.rank == 0 || isatty(STDERR_FILENO) != 0;
    if (!speaks) sleep(5);  // a launcher ends all as soon as one has ended: rank 0 speaks first
    throw MachineError(launcher.said + ": this program runs as one process, it was built without " +
                       "MPI: configure with -DPARALLAX_ENABLE_MPI=ON" + left_over);
  }
  void* const handle = dlopen(files.front().c_str(), RTLD_NOW | RTLD_GLOBAL);
  const auto opened = handle == nullptr ? nullptr
                                        : reinterpret_cast<bindings::OpenCommunicator*>(
                                              dlsym(handle, bindings::open_communicator));
  if (opened == nullptr) {
    const char* const why = dlerror();
    throw MachineError("cannot load MPI: " + std::string(why != nullptr ? why : files.front()));
  }
  world = opened(argc, argv);
  if (world->size() != wanted) {
    const int found = world->size();
    world->finalize();
    world = nullptr;
    throw MachineError("the launcher started " + std::to_string(wanted) + " ranks, but MPI sees " +
                       std::to_string(found) +
                       ": start it by this MPI's own mpirun, or by srun --mpi=pmix or --mpi=pmi2" +
                       left_over);
  }
  world->while_waiting = end_if_it_takes_too_long;
  if (world->rank() > 0 && std::freopen("/dev/null", "w", stdout) == nullptr) std::fclose(stdout);
}

void require_same(const std::string& command_line) {
  const auto all = texts(command_line);
  for (std::size_t r = 1; r < all.size(); ++r)
    if (all[r] != all.front())
      throw UsageError("rank " + std::to_string(r) + " was given other arguments than rank 0: '" +
                       all[r] + "'");
}

int close(int status, const std::string& why) {
  if (world == nullptr) {
    say(why);
    return status;
  }
  // Of several that fail the first one speaks: rank 0 at once, another when it knows.
  const bool failed = !why.empty();
  std::string line = failed ? named(why) : "";
  const auto speak = [&] { say(std::exchange(line, "")); };
  if (rank() == 0) speak();
  if (failed)
    world->while_waiting = [&](double seconds) {
      if (seconds > (rank() == 0 ? 2 : 4)) end_all(status, line);
    };
  // The largest: the first rank that failed, and its status.
  const std::int64_t place = failed ? size() - rank() : 0;
  const std::int64_t largest = world->meet(256 * place + status);
  if (largest / 256 == place) speak();
  line.clear();
  world->meet(0);  // a launcher may end all others as soon as one has ended
  world->finalize();
  world = nullptr;
  return static_cast<int>(largest % 256);
}

int rank() { return world == nullptr ? 0 : world->rank(); }
int size() { return world == nullptr ? 1 : world->size(); }
int local_rank() { return world == nullptr ? 0 : world->local_rank(); }
int local_size() { return world == nullptr ? 1 : world->local_size(); }
std::string library() { return world == nullptr ? "" : world->library(); }
Communicator& communicator() { return *world; }

void barrier() {
  if (!several()) return;
  std::int64_t signal = received_signal();
  world->all_reduce(&signal, 1, bindings::Number::i64, bindings::Reduction::max);
  agree_on_signal(static_cast<int>(signal));
}

void reduce(void* numbers, std::size_t count, bindings::Number number, bindings::Reduction how) {
  if (several()) world->all_reduce(numbers, count, number, how);
}

void exchange(const void* from, int destination, void* to, int source, std::size_t bytes) {
  if (several()) world->exchange(from, destination, to, source, bytes);
}

void join(const bindings::Group& group) {
  if (several()) world->join(group);
}

void broadcast(void* data, std::size_t bytes, int root, const bindings::Group& group) {
  if (several()) world->broadcast(data, bytes, root, group);
}

void all_to_all(const void* from, const bindings::Parts& send, void* to,
                const bindings::Parts& receive, std::size_t bytes) {
  const auto negative = [](const bindings::Part& part) { return part.count < 0; };
  if (std::any_of(send.begin(), send.end(), negative) ||
      std::any_of(receive.begin(), receive.end(), negative))
    throw MachineError("ranks disagree on what they send each other");
  world->all_to_all_parts(from, send, to, receive, bytes);
}

void restart_counter() { world->restart_counter(); }
std::int64_t take_next() { return world->take_next(); }

double largest(double x) {
  reduce(&x, 1, bindings::Number::f64, bindings::Reduction::max);
  return x;
}

double total(double x) {
  reduce(&x, 1, bindings::Number::f64, bindings::Reduction::sum);
  return x;
}

bool all(bool x) { return largest(x ? 0 : 1) == 0; }

std::vector<std::string> texts(const std::string& mine) {
  if (!several()) return {mine};
  const auto longest = static_cast<std::size_t>(largest(static_cast<double>(mine.size()))) + 1;
  std::string from = mine, to(longest * static_cast<std::size_t>(size()), '\0');
  from.resize(longest, '\0');
  world->all_gather(from.data(), to.data(), longest);
  std::vector<std::string> found;
  for (std::size_t r = 0; r < to.size() / longest; ++r) found.emplace_back(&to[r * longest]);
  return found;
}

std::string first_said(const std::string& text) {
  if (!several()) return text;
  const auto all = texts(text);
  for (std::size_t r = 0; r < all.size(); ++r)
    if (!all[r].empty()) return "rank " + std::to_string(r) + ": " + all[r];
  return "";
}

std::vector<std::vector<double>> gathered(const std::vector<double>& mine) {
  if (!several()) return {mine};
  std::vector<double> all(mine.size() * static_cast<std::size_t>(size()));
  world->all_gather(mine.data(), all.data(), mine.size() * sizeof(double));
  std::vector<std::vector<double>> found;
  for (auto from = all.begin(); from != all.end(); from += static_cast<std::ptrdiff_t>(mine.size()))
    found.emplace_back(from, from + static_cast<std::ptrdiff_t>(mine.size()));
  return found;
}

int divide_processors() {
  const auto mine = allowed_processors();
  const auto n = mine.size();
  const std::string host = host_name() + " ";
  const auto all = texts(host + described_processors(mine));
  const auto overlaps = [&](const std::string& rank) {
    if (!rank.starts_with(host)) return false;
    const auto others = parse_processors(rank.substr(host.size()));
    return std::any_of(others.begin(), others.end(), [&](auto p) { return mine.count(p) > 0; });
  };
  // This rank's own overlap, too.
  if (std::count_if(all.begin(), all.end(), overlaps) <= 1) return std::max(1, static_cast<int>(n));
  // Equal masks, as a launcher leaves them that binds nothing: a part of them for each.
  const auto parts = static_cast<std::size_t>(local_size()),
             part = static_cast<std::size_t>(local_rank());
  if (n < parts) return 1;  // they take turns
  const auto at = [&](std::size_t k) {
    return std::next(mine.begin(), static_cast<std::ptrdiff_t>(n * k / parts));
  };
  const ProcessorSet own_part(at(part), at(part + 1));
  use_processors(own_part);
  return static_cast<int>(own_part.size());
}

std::string place() {
  std::string text = host_name() + ", processors " + described_processors(allowed_processors());
  if (const auto address = device_bus_address(); !address.empty()) text += ", " + address;
  return text;
}

std::string shared_device() {
  const auto devices = texts(host_name() + " " + device_bus_address());
  for (std::size_t a = 0; a < devices.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (devices[a] == devices[b])
        return "ranks " + std::to_string(b) + " and " + std::to_string(a) + " use one device, of " +
               devices[a] + ": start no more ranks than there are devices, or say --share-devices";
  return "";
}

}  // namespace parallax::ranks
