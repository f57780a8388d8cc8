// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/ranks/routes.hpp"

#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <csignal>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

#include "platform/base/error.hpp"
#include "platform/device/space_info.hpp"
#include "platform/device/spaces.hpp"
#include "platform/host/shared_library.hpp"
#include "platform/ranks/device_communicator.hpp"
#include "platform/ranks/message_times.hpp"
#include "platform/ranks/ranks.hpp"
#include "platform/ranks/staged.hpp"

namespace parallax {
namespace {

using bindings::Group;
using bindings::Number;
using bindings::Parts;
using bindings::Reduction;
using transport::Choice;
using transport::described;
using transport::Way;

using Meanwhile = Transport::Meanwhile;

/// MPI reads and writes the arrays where they are.
template <class Space>
class Direct final : public Transport {
 public:
  void sum(void* numbers, std::size_t count, Number number) override {
    prepare({});
    ranks::reduce(numbers, count, number, Reduction::sum);
  }
  void exchange(const void* from, int destination, void* to, int source, std::size_t bytes,
                const Meanwhile& meanwhile) override {
    prepare(meanwhile);
    ranks::exchange(from, destination, to, source, bytes);
  }
  void join(const Group& group) override { ranks::join(group); }
  void broadcast(void* data, std::size_t bytes, int root, const Group& group,
                 const Meanwhile& meanwhile) override {
    prepare(meanwhile);
    ranks::broadcast(data, bytes, root, group);
  }
  void all_to_all(const void* from, const Parts& send, void* to, const Parts& receive,
                  std::size_t bytes, const Meanwhile& meanwhile) override {
    prepare(meanwhile);
    ranks::all_to_all(from, send, to, receive, bytes);
  }

 private:
  void prepare(const Meanwhile& meanwhile) const {
    space_.fence("parallax::ranks: what is sent is complete");
    if (meanwhile) meanwhile();
  }
  Space space_;
};

/// From device to device by their own library.
class ByLibrary final : public Transport {
 public:
  explicit ByLibrary(std::unique_ptr<bindings::DeviceCommunicator> with) : with_(std::move(with)) {}
  [[nodiscard]] std::string library() const override { return with_->library(); }

  void sum(void* numbers, std::size_t count, Number number) override {
    if (count > 0) said_as_ours([&] { with_->all_reduce(numbers, count, number); });
  }
  void exchange(const void* from, int destination, void* to, int source, std::size_t bytes,
                const Meanwhile& meanwhile) override {
    if (bytes == 0) return at_once(meanwhile);
    said_as_ours([&] { with_->exchange(from, destination, to, source, bytes, meanwhile); });
  }
  void join(const Group& group) override {
    said_as_ours([&] { with_->join(group); });
  }
  void broadcast(void* data, std::size_t bytes, int root, const Group& group,
                 const Meanwhile& meanwhile) override {
    if (bytes == 0) return at_once(meanwhile);
    said_as_ours([&] { with_->broadcast(data, bytes, root, group, meanwhile); });
  }
  void all_to_all(const void* from, const Parts& send, void* to, const Parts& receive,
                  std::size_t bytes, const Meanwhile& meanwhile) override {
    said_as_ours([&] { with_->all_to_all_parts(from, send, to, receive, bytes, meanwhile); });
  }

  template <class F>
  static void said_as_ours(const F& f) {
    try {
      f();
    } catch (const MachineError&) {
      throw;
    } catch (const std::exception& error) {
      throw MachineError(error.what());
    }
  }

 private:
  static void at_once(const Meanwhile& meanwhile) {
    if (meanwhile) meanwhile();
  }
  std::unique_ptr<bindings::DeviceCommunicator> with_;
};

/// Each message by the way that took least time for its size. Ranks do not know what others send
/// in an exchange between all: the way is always the one for large messages.
class BySize final : public Transport {
 public:
  using Measured = std::vector<std::pair<Way, Links>>;
  explicit BySize(Measured ways) : ways_(std::move(ways)) {}

  /// The quickest for this, by the first size measured that is no smaller.
  [[nodiscard]] const Way& of(double LinkTimes::*time, double bytes) const {
    const auto took = [&](const std::pair<Way, Links>& measured) {
      const auto& links = measured.second;
      const auto link = std::find_if(links.begin(), links.end(),
                                     [&](const LinkTimes& l) { return l.bytes >= bytes; });
      if (link != links.end()) return (*link).*time;
      return links.empty() ? std::numeric_limits<double>::infinity()
                           : (links.back().*time) * bytes / links.back().bytes;
    };
    return std::min_element(ways_.begin(), ways_.end(),
                            [&](const auto& a, const auto& b) { return took(a) < took(b); })
        ->first;
  }
  [[nodiscard]] bool takes(const Way& way) const {
    for (const auto time : {&LinkTimes::one_way, &LinkTimes::all_reduce})
      for (const auto& link : ways_.front().second)
        if (of(time, link.bytes).name == way.name) return true;
    return of(&LinkTimes::all_to_all, large).name == way.name;
  }

  void sum(void* numbers, std::size_t count, Number number) override {
    const std::size_t bytes = count * (number == Number::f32 ? 4 : 8);
    by(&LinkTimes::all_reduce, bytes).sum(numbers, count, number);
  }
  void exchange(const void* from, int destination, void* to, int source, std::size_t bytes,
                const Meanwhile& meanwhile) override {
    by(&LinkTimes::one_way, bytes).exchange(from, destination, to, source, bytes, meanwhile);
  }
  /// By all ways: groups may take different ones, whose messages have other sizes.
  void join(const Group& group) override {
    for (const auto& [way, links] : ways_) way.transport->join(group);
  }
  void broadcast(void* data, std::size_t bytes, int root, const Group& group,
                 const Meanwhile& meanwhile) override {
    by(&LinkTimes::one_way, bytes).broadcast(data, bytes, root, group, meanwhile);
  }
  void all_to_all(const void* from, const Parts& send, void* to, const Parts& receive,
                  std::size_t bytes, const Meanwhile& meanwhile) override {
    of(&LinkTimes::all_to_all, large)
        .transport->all_to_all(from, send, to, receive, bytes, meanwhile);
  }

 private:
  [[nodiscard]] Transport& by(double LinkTimes::*time, std::size_t bytes) const {
    return *of(time, static_cast<double>(bytes)).transport;
  }
  static constexpr double large = 1 << 30;
  Measured ways_;
};

/// Real messages, short and long ones, since they go different ways, and one that is staged in
/// three pieces: to the next rank, from the first to all, and a sum. Whether what came is right.
template <class Space>
bool delivers(Transport& way) {
  using Numbers = Kokkos::View<double*, typename Space::memory_space>;
  const int me = ranks::rank(), size = ranks::size();
  bool right = true;
  for (const std::size_t count : {std::size_t{1}, std::size_t{64}, (std::size_t{1} << 20) + 1}) {
    const Numbers from("parallax::transport::from", count), to("parallax::transport::to", count);
    const auto host = Kokkos::create_mirror(Kokkos::HostSpace{}, from);
    const auto have = [&](const Numbers& x, double number) {
      for (std::size_t i = 0; i < count; ++i) host(i) = number + static_cast<double>(i);
      Kokkos::deep_copy(x, host);
    };
    const auto has = [&](const Numbers& x, double number, double times) {
      Kokkos::deep_copy(host, x);
      for (std::size_t i = 0; i < count; ++i)
        right = right && host(i) == number + times * static_cast<double>(i);
    };
    have(from, 1000.0 * me);
    way.exchange(from.data(), (me + 1) % size, to.data(), (me + size - 1) % size,
                 count * sizeof(double), {});
    has(to, 1000.0 * ((me + size - 1) % size), 1);
    way.broadcast(to.data(), count * sizeof(double), 0, {0, 1, size}, {});
    has(to, 1000.0 * (size - 1), 1);
    way.sum(from.data(), count, Number::f64);
    has(from, 500.0 * size * (size - 1), size);
  }
  return right;
}

/// Calls `f`, in which an MPI that reads a device's memory as if it were the host's crashes: all
/// ranks end then, with one line.
template <class F>
void ending_in_one_line(const F& f) {
  struct sigaction action = {}, segv = {}, bus = {};
  action.sa_handler = [](int) {
    if (ranks::rank() > 0) sleep(2);  // rank 0 speaks, if it can
    constexpr char line[] =
        "parallax: --transport gpu_aware: MPI cannot read this device's memory (expected an MPI "
        "built for it, or --transport staged or nccl)\n";
    static_cast<void>(!write(STDERR_FILENO, line, sizeof line - 1));
    _exit(static_cast<int>(Status::machine_could_not));
  };
  sigaction(SIGSEGV, &action, &segv);
  sigaction(SIGBUS, &action, &bus);
  f();
  sigaction(SIGSEGV, &segv, nullptr);
  sigaction(SIGBUS, &bus, nullptr);
}

/// Everything that was opened, until Kokkos ends.
struct Opened {
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Transport>> ways;
  std::map<std::string, Choice> choices;
};
std::unique_ptr<Opened> kept;

Opened& opened() {
  if (kept == nullptr) {
    kept = std::make_unique<Opened>();
    Kokkos::push_finalize_hook([] { kept.reset(); });
  }
  return *kept;
}

/// The stream of a space's default instance; null on hosts, which have none.
template <class Space>
void* stream_of(const Space& space) {
  if constexpr (requires { space.cuda_stream(); })
    return space.cuda_stream();
  else if constexpr (requires { space.hip_stream(); })
    return space.hip_stream();
  else
    return nullptr;
}

/// Throws MachineError, on all ranks, where one of them cannot.
template <class Space>
std::unique_ptr<Transport> by_library() {
  static const SharedLibrary library("PARALLAX_NCCL_LIBRARY",
                                     beside_program("libparallax_nccl.so"));
  auto* const open =
      library.function<bindings::OpenDeviceCommunicator>(bindings::open_device_communicator);
  if (!ranks::all(open != nullptr)) {
    if (open != nullptr) throw MachineError("another rank has no NCCL");
    throw MachineError("this build has no NCCL (PARALLAX_ENABLE_NCCL)" +
                       (library.error().empty() ? "" : ": " + library.error()));
  }
  auto& with = ranks::communicator();
  std::unique_ptr<bindings::DeviceCommunicator> found;
  std::string why;
  try {
    ByLibrary::said_as_ours(
        [&] { found.reset(open(with, Kokkos::device_id(), stream_of(Space()))); });
  } catch (const MachineError& error) {
    why = error.what();
  }
  why = ranks::first_said(why);
  if (!why.empty()) throw MachineError(why);
  return std::make_unique<ByLibrary>(std::move(found));
}

/// Why a way cannot be taken, as far as that is known before it is tried; "" where it may.
std::string refusal(const std::string& name, bool asked_for) {
  if (name == "nccl" && !asked_for && !ranks::shared_device().empty())
    return "ranks share a device";
  if (name != "gpu_aware") return "";
  if (ranks::communicator().refuses_device_memory())
    return ranks::library() + " says that it takes no device memory";
  // One that says that it does may crash, and the run with it.
  return asked_for ? "" : "tried only by --transport gpu_aware";
}

/// "", or why not, on all ranks.
template <class Space>
std::string trial(Transport& way) {
  std::string why;
  try {
    if (!delivers<Space>(way)) why = "what was sent did not arrive";
  } catch (const MachineError& error) {
    why = error.what();
  }
  return ranks::first_said(why);
}

/// One way of a space, tried: `asked_for` by name, or by `auto`.
template <class Space>
Way tried(const std::string& name, bool asked_for) {
  Way way{.space = space_name<Space>(), .name = name, .refusal = refusal(name, asked_for)};
  if (!way.refusal.empty()) return way;
  auto& found = opened().ways[{way.space, name}];
  try {
    if (found == nullptr)
      found = name == "nccl"     ? by_library<Space>()
              : name == "staged" ? std::make_unique<Staged<Space>>()
                                 : std::unique_ptr<Transport>(new Direct<Space>);
    way.transport = found.get();
    way.by = found->library();
    // That an MPI delivers what is in a host's memory is not asked: the rows' checks tell.
    if (name == "gpu_aware")
      ending_in_one_line([&] { way.refusal = trial<Space>(*found); });
    else if (name != "host")
      way.refusal = trial<Space>(*found);
  } catch (const MachineError& error) {
    way.refusal = error.what();
  }
  return way;
}

template <class F>
void with_space(const std::string& name, const F& f) {
  for_each_built_in_space([&]<class Space>() {
    if (space_name<Space>() == name) f.template operator()<Space>();
  });
}

const std::vector<std::string> of_devices{"nccl", "staged", "gpu_aware"};

/// Of ways that work the only one, or each for the messages that it is quickest with.
Way quickest(const std::vector<Way>& ways) {
  if (ways.size() == 1) return ways.front();
  BySize::Measured measured;
  for (const auto& way : ways)
    measured.emplace_back(way, measure_links(*way.transport, way.space, std::size_t{1} << 24));
  auto by_size = std::make_unique<BySize>(measured);
  std::vector<Way> taken;
  for (const auto& way : ways)
    if (by_size->takes(way)) taken.push_back(way);
  if (taken.size() == 1) return taken.front();
  Way all{.space = ways.front().space, .name = "by_size", .transport = by_size.get()};
  for (const auto& way : taken) all.by += (all.by.empty() ? "" : " and ") + described(way);
  opened().ways[{all.space, all.name}] = std::move(by_size);
  return all;
}

}  // namespace

namespace transport {

void choose(const std::vector<std::string>& spaces, const std::string& wanted) {
  const bool on_hosts = std::all_of(spaces.begin(), spaces.end(), runs_on_host);
  if (on_hosts && (wanted == "gpu_aware" || wanted == "nccl"))
    throw UsageError("--transport " + wanted +
                     ": sends a device's memory, and this run has none (" + joined(spaces) +
                     "); expected auto or staged");
  for (const auto& space : spaces)
    with_space(space, [&]<class Space>() {
      auto names = runs_on_host(space) ? std::vector<std::string>{"host"} : of_devices;
      if (wanted != "auto" && (on_hosts || !runs_on_host(space))) names = {wanted};
      std::vector<Way> working;
      Choice choice;
      for (const auto& name : names) {
        const auto way = tried<Space>(name, wanted == name);
        (way.refusal.empty() ? working : choice.refused).push_back(way);
      }
      if (working.empty()) {
        const auto& why = choice.refused.front();
        throw MachineError("--transport " + wanted + ": " + space + ": " + why.refusal);
      }
      choice.way = quickest(working);
      opened().choices[space] = choice;
    });
}

const Choice& chosen(const std::string& space) { return opened().choices.at(space); }
Transport& of(const std::string& space) { return *chosen(space).way.transport; }

std::vector<Way> all(const std::string& space) {
  std::vector<Way> ways;
  with_space(space, [&]<class Space>() {
    for (const auto& name : runs_on_host(space) ? std::vector<std::string>{"host"} : of_devices)
      ways.push_back(tried<Space>(name, false));
  });
  return ways;
}

std::string described(const Way& way) {
  return way.name + (way.by.empty() ? "" : " by " + way.by) +
         (way.refusal.empty() ? "" : ": refused, " + way.refusal);
}

}  // namespace transport
}  // namespace parallax
