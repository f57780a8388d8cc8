// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/ranks/ranks.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>

#include "platform/base/interrupt.hpp"
#include "platform/base/numbers.hpp"
#include "platform/device/bus_address.hpp"
#include "platform/host/host.hpp"
#include "platform/host/processors.hpp"
#include "platform/host/shared_library.hpp"

namespace parallax::ranks {
namespace {

using bindings::Communicator;
using Clock = std::chrono::steady_clock;

Communicator* world = nullptr;
double patience = 300;
bool failed_here = false;  ///< and told
int told_status = 0;
std::string told_why;   ///< by another rank, the first that did
std::set<int> waiters;  ///< that have told that they wait in vain
bool spoken = false;    ///< one rank has said what is wrong, for all

/// Kinds of notices: an exit status from 0 to 255, or one of these.
constexpr int waiting = 1000, speaking = 1001;

/// How many ranks a launcher says that it started; 1 where none says so.
int started() {
  for (const auto* name :
       {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PALS_NRANKS", "SLURM_STEP_NUM_TASKS"})
    if (const char* const value = std::getenv(name))
      if (const int ranks = std::atoi(value); ranks > 0) return ranks;
  return 1;
}

void note(const bindings::Notice& notice) {
  if (notice.kind == waiting) waiters.insert(notice.from);
  if (notice.kind == speaking) spoken = true;
  if (notice.kind >= waiting || !told_why.empty()) return;
  told_status = notice.kind;
  told_why = notice.text;
}

/// Tells the others that this rank has failed, once.
void tell(int status, const std::string& why) {
  if (failed_here) return;
  failed_here = true;
  world->notify(status, why);
}

/// Which ranks do not say that they wait, in words. Called by a rank that has lost its patience, as
/// the others that wait have, or will soon.
std::string silent() {
  waiters.insert(world->rank());
  world->notify(waiting, "");
  const auto start = Clock::now();
  while (Clock::now() - start < std::chrono::seconds(2)) {
    if (const auto notice = world->notice()) note(*notice);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::string names;
  int count = 0;
  for (int r = 0; r < world->size(); ++r)
    if (waiters.count(r) == 0 && ++count <= 8) names += (count > 1 ? ", " : "") + std::to_string(r);
  if (count > 8) names += ", ...";
  return count == 0 ? "the ranks wait for each other"
                    : (count == 1 ? "rank " + names + " does not answer"
                                  : "ranks " + names + " do not answer");
}

void while_waiting(double seconds) {
  while (const auto notice = world->notice()) note(*notice);
  if (!told_why.empty()) throw Failure(told_why, told_status);
  if (interrupted()) throw Failure("", 128 + interrupting_signal());
  if (seconds < patience) return;
  const auto why = silent();
  if (!told_why.empty()) throw Failure(told_why, told_status);
  throw Failure(why + ": waited " + significant(patience, 6) + " s",
                static_cast<int>(Status::machine_could_not));
}

/// Before every message: whoever has been told to stop does not begin another.
Communicator& ready() {
  while_waiting(0);
  return *world;
}

}  // namespace

void open(int* argc, char*** argv) {
  const int wanted = started();
  if (wanted <= 1) return;
  const char* const chosen = std::getenv("PARALLAX_MPI_LIBRARY");
  const auto files =
      chosen != nullptr ? std::vector<std::string>{chosen} : beside_program("libparallax_mpi.so");
  if (files.empty()) return;  // built without MPI: each process is on its own, as ever
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
    world->part(0, note, [] {});
    world = nullptr;
    throw MachineError("the launcher started " + std::to_string(wanted) + " ranks, but MPI sees " +
                       std::to_string(found) +
                       ": start it by this MPI's own mpirun, or by srun --mpi=pmix or --mpi=pmi2");
  }
  world->while_waiting = while_waiting;
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
  const auto say = [](const std::string& line) {
    if (!line.empty()) std::fprintf(stderr, "parallax: %s\n", one_line(line).c_str());
  };
  if (world == nullptr) {
    say(why);
    return status;
  }
  const std::string name = "rank " + std::to_string(world->rank()) + ": ";
  if (told_why.empty() && !why.empty()) tell(status, name + why);
  if (told_why.empty() && why.empty() && interrupted())
    tell(status, name + "stopped by signal " + std::to_string(interrupting_signal()));
  const bool well = !failed_here && told_why.empty();
  const int me = world->rank();
  // Rank 0 speaks for all, and has said itself that a signal came. Where it does not answer, the
  // next one does.
  const auto speak = [&] {
    if (spoken) return;
    say(!why.empty() ? why : interrupted() ? std::string() : told_why);
    std::fflush(nullptr);
  };
  const auto parting = world->part(well ? patience : 5, note, [&] {
    if (me == 0) speak();
  });
  if (why.empty() && !told_why.empty()) status = told_status;
  if (parting == bindings::Parting::alone) {
    const auto start = Clock::now();
    do {
      while (const auto notice = world->notice()) note(*notice);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    } while (!spoken && Clock::now() - start < 2 * std::min(me, 10) * std::chrono::seconds(1));
    if (!spoken) world->notify(speaking, "");
    speak();
  }
  if (parting != bindings::Parting::ended) {
    // Who has spoken ends us all, when the launcher, which ends as well, has passed it on.
    sleep(spoken || (parting == bindings::Parting::together && me > 0) ? 10 : 1);
    world->abort(status == 0 ? static_cast<int>(Status::machine_could_not) : status);
  }
  world = nullptr;
  return status;
}

int rank() { return world == nullptr ? 0 : world->rank(); }
int size() { return world == nullptr ? 1 : world->size(); }
int local_rank() { return world == nullptr ? 0 : world->local_rank(); }
int local_size() { return world == nullptr ? 1 : world->local_size(); }
std::string library() { return world == nullptr ? "" : world->library(); }
void set_patience(double seconds) { patience = seconds; }
Communicator& communicator() { return ready(); }

void barrier() {
  if (several()) ready().barrier();
}

void reduce(void* numbers, std::size_t count, bindings::Number number, bindings::Reduction how) {
  if (several()) ready().all_reduce(numbers, count, number, how);
}

void exchange(const void* from, int destination, void* to, int source, std::size_t bytes) {
  if (several()) ready().exchange(from, destination, to, source, bytes);
}

void broadcast(void* data, std::size_t bytes, int root, const bindings::Group& group) {
  if (several()) ready().broadcast(data, bytes, root, group);
}

void all_to_all(const void* from, const std::vector<std::int64_t>& send, void* to,
                const std::vector<std::int64_t>& receive, std::size_t bytes) {
  const auto negative = [](std::int64_t count) { return count < 0; };
  if (std::any_of(send.begin(), send.end(), negative) ||
      std::any_of(receive.begin(), receive.end(), negative))
    throw MachineError("ranks disagree on what they send each other");
  ready().all_to_all_parts(from, send, to, receive, bytes);
}

void restart_counter() { ready().restart_counter(); }
std::int64_t take_next() { return ready().take_next(); }

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
  ready().all_gather(from.data(), to.data(), longest);
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
  ready().all_gather(mine.data(), all.data(), mine.size() * sizeof(double));
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

void require_own_device() {
  const auto devices = texts(host_name() + " " + device_bus_address());
  for (std::size_t a = 0; a < devices.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (devices[a] == devices[b])
        throw MachineError("ranks " + std::to_string(b) + " and " + std::to_string(a) +
                           " use one device, of " + devices[a] +
                           ": start no more ranks than there are devices, or say --share-devices");
}

}  // namespace parallax::ranks
