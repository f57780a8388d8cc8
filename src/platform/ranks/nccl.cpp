// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Messages between devices by NCCL, or by RCCL, whose functions have the same names:
// libparallax_nccl.so, the only file that either is compiled into.
#if defined(PARALLAX_HAVE_RCCL)
#include <rccl/rccl.h>
#define PARALLAX_RUNTIME(name) hip##name
#else
#include <cuda_runtime_api.h>
#include <nccl.h>
#define PARALLAX_RUNTIME(name) cuda##name
#endif
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "platform/ranks/device_communicator.hpp"

namespace parallax::bindings {
namespace {

using Clock = std::chrono::steady_clock;

void require(PARALLAX_RUNTIME(Error_t) found) {
  if (found != PARALLAX_RUNTIME(Success))
    throw std::runtime_error(PARALLAX_RUNTIME(GetErrorString)(found));
}

ncclDataType_t type_of(Number number) {
  switch (number) {
    case Number::i64: return ncclInt64;
    case Number::f32: return ncclFloat32;
    case Number::f64: break;
  }
  return ncclFloat64;
}

class Event {
 public:
  Event() {
    require(PARALLAX_RUNTIME(EventCreateWithFlags)(&event_, PARALLAX_RUNTIME(EventDisableTiming)));
  }
  ~Event() { static_cast<void>(PARALLAX_RUNTIME(EventDestroy)(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(PARALLAX_RUNTIME(Stream_t) on) { require(PARALLAX_RUNTIME(EventRecord)(event_, on)); }
  void hold(PARALLAX_RUNTIME(Stream_t) stream) {
    require(PARALLAX_RUNTIME(StreamWaitEvent)(stream, event_, 0));
  }
  [[nodiscard]] bool is_due() const {
    return PARALLAX_RUNTIME(EventQuery)(event_) == PARALLAX_RUNTIME(ErrorNotReady);
  }

 private:
  PARALLAX_RUNTIME(Event_t) event_ = nullptr;
};

/// A thread that ends all ranks when a message takes longer than their patience: nothing else ends
/// a call of NCCL, or a wait for a stream, that waits for a rank which does not come.
class Watch {
 public:
  Watch(Communicator& ranks, int device)
      : thread_([this, &ranks, device](const std::stop_token& stop) {
          static_cast<void>(PARALLAX_RUNTIME(SetDevice)(device));
          std::unique_lock lock(mutex_);
          const auto stopped = [&] { return stop.stop_requested(); };
          while (!woken_.wait_for(lock, stop, std::chrono::milliseconds(200), stopped))
            if (calls_ > 0 || last_.is_due()) ranks.while_waiting(seconds_since(begun_));
        }) {}

  /// Calls `f`, which puts messages on `stream`.
  template <class F>
  void over(PARALLAX_RUNTIME(Stream_t) stream, const F& f) {
    begun_ = Clock::now();
    ++calls_;
    ++messages_;
    const std::unique_ptr<std::atomic<int>, void (*)(std::atomic<int>*)> call(
        &calls_, [](std::atomic<int>* calls) { --*calls; });
    f();
    last_.record(stream);
  }
  [[nodiscard]] std::int64_t messages() const { return messages_; }

 private:
  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  Event last_;
  std::atomic<Clock::time_point> begun_{};
  std::atomic<int> calls_ = 0;
  std::int64_t messages_ = 0;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  std::jthread thread_;  ///< last: it uses all the others
};

class Nccl final : public DeviceCommunicator {
 public:
  Nccl(Communicator& ranks, int device, void* stream)
      : rank_(ranks.rank()),
        size_(ranks.size()),
        stream_(static_cast<PARALLAX_RUNTIME(Stream_t)>(stream)),
        watch_(ranks, device) {
    int least = 0, first = 0;  // its blocks go before the blocks of other kernels
    require(PARALLAX_RUNTIME(DeviceGetStreamPriorityRange)(&least, &first));
    require(PARALLAX_RUNTIME(StreamCreateWithPriority)(&beside_,
                                                       PARALLAX_RUNTIME(StreamNonBlocking), first));
    ncclUniqueId id{};
    if (rank_ == 0) static_cast<void>(ncclGetUniqueId(&id));  // if that fails, what follows does
    ranks.broadcast(&id, sizeof id, 0, {0, 1, size_});
    // It blocks: of one that does not, NCCL hands each call to a thread, which takes 80 us.
    watched([&](auto) { begun(ncclCommInitRank(&world_, size_, id, rank_), world_); });
  }
  ~Nccl() override {
    if (std::uncaught_exceptions() > 0) abandon();
    for (const auto& [group, peers] : groups_) close(peers);
    close(world_);
    static_cast<void>(PARALLAX_RUNTIME(StreamDestroy)(beside_));
  }

  [[nodiscard]] std::string library() const override {
    int version = 0;
    ncclGetVersion(&version);
#if defined(PARALLAX_HAVE_RCCL)
    const std::string name = "RCCL ";
#else
    const std::string name = "NCCL ";
#endif
    return name + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
           "." + std::to_string(version % 100);
  }

  void all_reduce(void* numbers, std::size_t count, Number number) override {
    watched([&](auto stream) {
      begun(ncclAllReduce(numbers, numbers, count, type_of(number), ncclSum, world_, stream),
            world_);
    });
  }

  void exchange(const void* from, int destination, void* to, int source, std::size_t bytes,
                const Meanwhile& meanwhile) override {
    // A short one is sent in less time than the host needs to say so: kernels go first.
    const bool kernels_first = bytes <= 65536;
    beside(kernels_first, meanwhile, [&](auto stream) {
      begun(ncclGroupStart(), world_);
      if (source >= 0) begun(ncclRecv(to, bytes, ncclUint8, source, world_, stream), world_);
      if (destination >= 0)
        begun(ncclSend(from, bytes, ncclUint8, destination, world_, stream), world_);
      begun(ncclGroupEnd(), world_);
    });
  }

  void join(const Group& group) override {
    watched([&](auto) { static_cast<void>(communicator_of(group)); });
  }

  void broadcast(void* data, std::size_t bytes, int root, const Group& group,
                 const Meanwhile& meanwhile) override {
    beside(false, meanwhile, [&](auto stream) {
      const ncclComm_t peers = communicator_of(group);
      begun(ncclBroadcast(data, data, bytes, ncclUint8, root, peers, stream), peers);
    });
  }

  void all_to_all_parts(const void* from, const Parts& send, void* to, const Parts& receive,
                        std::size_t bytes, const Meanwhile& meanwhile) override {
    const auto in_bytes = [&](std::int64_t numbers) {
      return bytes * static_cast<std::size_t>(numbers);
    };
    const auto* const out = static_cast<const char*>(from);
    auto* const in = static_cast<char*>(to);
    const auto messages = [&](auto stream) {
      begun(ncclGroupStart(), world_);
      for (int r = 0; r < size_; ++r) {
        const auto &sent = send[static_cast<std::size_t>(r)],
                   &received = receive[static_cast<std::size_t>(r)];
        if (r != rank_ && sent.count > 0)
          begun(ncclSend(out + in_bytes(sent.begin), in_bytes(sent.count), ncclUint8, r, world_,
                         stream),
                world_);
        if (r != rank_ && received.count > 0)
          begun(ncclRecv(in + in_bytes(received.begin), in_bytes(received.count), ncclUint8, r,
                         world_, stream),
                world_);
      }
      begun(ncclGroupEnd(), world_);
    };
    beside(
        false,
        [&] {  // what stays here is copied meanwhile
          const auto own = static_cast<std::size_t>(rank_);
          if (send[own].count > 0)
            require(PARALLAX_RUNTIME(MemcpyAsync)(
                in + in_bytes(receive[own].begin), out + in_bytes(send[own].begin),
                in_bytes(send[own].count), PARALLAX_RUNTIME(MemcpyDeviceToDevice), stream_));
          if (meanwhile) meanwhile();
        },
        messages);
  }

 private:
  /// Calls f(stream), which puts messages on the device's stream. If it throws, what it began is
  /// ended: a kernel that waits for another device would keep this one busy for ever.
  template <class F>
  void watched(const F& f, bool beside = false) {
    const auto stream = beside ? beside_ : stream_;
    try {
      watch_.over(stream, [&] { f(stream); });
    } catch (...) {
      abandon();
      throw;
    }
  }
  /// The same, and the stream goes on with what `meanwhile` launches, if there is any.
  template <class F>
  void beside(bool kernels_first, const Meanwhile& meanwhile, const F& f) {
    if (!meanwhile) return watched(f);
    launched_.record(stream_);
    launched_.hold(beside_);
    if (kernels_first) meanwhile();
    watched(f, true);
    // `meanwhile` may send, too, on the stream: the watch's event is the end of that message then.
    arrived_.record(beside_);
    const auto messages = watch_.messages();
    if (!kernels_first) meanwhile();
    arrived_.hold(stream_);
    // Only the last message is watched, and it may arrive before the one beside it.
    if (watch_.messages() > messages) watch_.over(stream_, [] {});
  }

  void begun(ncclResult_t found, ncclComm_t with) const {
    if (found == ncclSuccess) return;
    const char* const more = with != nullptr ? ncclGetLastError(with) : "";
    throw std::runtime_error(library() + ": " + ncclGetErrorString(found) +
                             (more != nullptr && *more != '\0' ? std::string(": ") + more : ""));
  }
  /// Made once, by all ranks together, each for its own group, and kept.
  ncclComm_t communicator_of(const Group& group) {
    if (group.size == size_) return world_;
    const auto [found, is_new] =
        groups_.try_emplace({group.first, group.stride, group.size}, nullptr);
    if (is_new) begun(ncclCommSplit(world_, group.first, rank_, &found->second, nullptr), world_);
    return found->second;
  }

  /// Waits for the other ranks.
  void close(ncclComm_t with) {
    if (with == nullptr) return;
    try {
      watch_.over(stream_, [&] {
        begun(ncclCommFinalize(with), with);
        begun(ncclCommDestroy(with), nullptr);
      });
    } catch (...) {
      ended({with});
    }
  }
  /// Where an exception ends this rank: the others may not come.
  void abandon() {
    std::vector<ncclComm_t> all{world_};
    for (const auto& [group, peers] : groups_) all.push_back(peers);
    groups_.clear();
    world_ = nullptr;
    ended(all);
  }
  /// Their kernels end at once. But NCCL, before it frees its memory, waits until all ranks of this
  /// host abort as well (NVIDIA/nccl#863), so threads call it, which this one leaves alone after
  /// two seconds: whoever fails by itself ends all processes soon.
  static void ended(const std::vector<ncclComm_t>& all) {
    std::vector<std::future<void>> calls;
    for (auto* const with : all) {
      if (with == nullptr) continue;
      std::packaged_task<void()> call([with] { static_cast<void>(ncclCommAbort(with)); });
      calls.push_back(call.get_future());
      std::thread(std::move(call)).detach();
    }
    const auto last = Clock::now() + std::chrono::seconds(2);
    for (const auto& call : calls) call.wait_until(last);
  }

  int rank_, size_;
  PARALLAX_RUNTIME(Stream_t) stream_, beside_ = nullptr;
  ncclComm_t world_ = nullptr;
  std::map<std::tuple<int, int, int>, ncclComm_t> groups_;
  Event launched_, arrived_;
  Watch watch_;
};

}  // namespace
}  // namespace parallax::bindings

extern "C" parallax::bindings::DeviceCommunicator* parallax_open_device_communicator(
    parallax::bindings::Communicator& ranks, int device, void* stream) {
  return new parallax::bindings::Nccl(ranks, device, stream);
}
