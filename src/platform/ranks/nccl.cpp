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
#include <sched.h>

#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <stdexcept>
#include <tuple>

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

/// No call waits for other ranks by itself: each may only have begun, and is asked how it goes, so
/// that no wait is endless.
class Nccl final : public DeviceCommunicator {
 public:
  Nccl(Communicator& ranks, int device) : ranks_(ranks), rank_(ranks.rank()), size_(ranks.size()) {
    require(PARALLAX_RUNTIME(SetDevice)(device));
    require(PARALLAX_RUNTIME(StreamCreateWithFlags)(&stream_, PARALLAX_RUNTIME(StreamNonBlocking)));
    ncclUniqueId id{};
    if (rank_ == 0) static_cast<void>(ncclGetUniqueId(&id));  // if that fails, what follows does
    ranks.broadcast(&id, sizeof id, 0, {0, 1, size_});
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    ended([&] {
      begun(ncclCommInitRankConfig(&world_, size_, id, rank_, &config), world_);
      settle(world_);
    });
  }
  ~Nccl() override {
    for (auto& [group, peers] : groups_)
      if (peers != world_) close(peers);
    close(world_);
    static_cast<void>(PARALLAX_RUNTIME(StreamDestroy)(stream_));
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
    ended([&] {
      begun(ncclAllReduce(numbers, numbers, count, type_of(number), ncclSum, world_, stream_),
            world_);
      settle(world_);
    });
  }

  void exchange(const void* from, int destination, void* to, int source,
                std::size_t bytes) override {
    together([&] {
      if (source >= 0) begun(ncclRecv(to, bytes, ncclUint8, source, world_, stream_), world_);
      if (destination >= 0)
        begun(ncclSend(from, bytes, ncclUint8, destination, world_, stream_), world_);
    });
  }

  void broadcast(void* data, std::size_t bytes, int root, const Group& group) override {
    ended([&] {
      const ncclComm_t peers = communicator_of(group);
      begun(ncclBroadcast(data, data, bytes, ncclUint8, root, peers, stream_), peers);
      settle(peers);
    });
  }

  void all_to_all_parts(const void* from, const std::vector<std::int64_t>& send, void* to,
                        const std::vector<std::int64_t>& receive, std::size_t bytes) override {
    together([&] {
      const auto* out = static_cast<const char*>(from);
      auto* in = static_cast<char*>(to);
      for (int r = 0; r < size_; ++r) {
        const auto sent = bytes * static_cast<std::size_t>(send[static_cast<std::size_t>(r)]);
        const auto received =
            bytes * static_cast<std::size_t>(receive[static_cast<std::size_t>(r)]);
        if (sent > 0) begun(ncclSend(out, sent, ncclUint8, r, world_, stream_), world_);
        if (received > 0) begun(ncclRecv(in, received, ncclUint8, r, world_, stream_), world_);
        out += sent;
        in += received;
      }
    });
  }

  void wait() override {
    ended([&] {
      until([&] {
        const auto found = PARALLAX_RUNTIME(StreamQuery)(stream_);
        if (found == PARALLAX_RUNTIME(ErrorNotReady)) return false;
        require(found);
        return true;
      });
    });
  }

 private:
  /// Calls `f`; if it throws, what it began is ended: a kernel that waits for another device would
  /// keep this one busy for ever.
  template <class F>
  void ended(const F& f) {
    try {
      f();
    } catch (...) {
      failed_ = true;
      for (auto& [group, peers] : groups_)
        if (peers != world_) static_cast<void>(ncclCommAbort(peers));
      if (world_ != nullptr) static_cast<void>(ncclCommAbort(world_));
      groups_.clear();
      world_ = nullptr;
      throw;
    }
  }
  /// `f` starts several messages as one.
  template <class F>
  void together(const F& f) {
    ended([&] {
      begun(ncclGroupStart(), world_);
      f();
      begun(ncclGroupEnd(), world_);
      settle(world_);
    });
  }

  void begun(ncclResult_t found, ncclComm_t with) const {
    if (found == ncclSuccess || found == ncclInProgress) return;
    const char* const more = with != nullptr ? ncclGetLastError(with) : "";
    throw std::runtime_error(library() + ": " + ncclGetErrorString(found) +
                             (more != nullptr && *more != '\0' ? std::string(": ") + more : ""));
  }
  /// Waits until what was begun has been queued on the stream.
  void settle(ncclComm_t with) const {
    until([&] {
      ncclResult_t state = ncclSuccess;
      begun(ncclCommGetAsyncError(with, &state), with);
      begun(state, with);
      return state != ncclInProgress;
    });
  }
  template <class Done>
  void until(const Done& done) const {
    const auto start = Clock::now();
    double asked = 0;
    for (int tries = 1; !done(); ++tries) {
      if (tries % 64 != 0) continue;
      sched_yield();
      const double waited = std::chrono::duration<double>(Clock::now() - start).count();
      if (waited - asked < 0.01) continue;
      asked = waited;
      ranks_.while_waiting(waited);
    }
  }

  /// Made once, by all ranks together, each for its own group, and kept.
  ncclComm_t communicator_of(const Group& group) {
    if (group.size == size_) return world_;
    const auto [found, is_new] =
        groups_.try_emplace({group.first, group.stride, group.size}, nullptr);
    if (is_new) {
      begun(ncclCommSplit(world_, group.first, rank_, &found->second, nullptr), world_);
      settle(world_);
      settle(found->second);
    }
    return found->second;
  }

  /// Waits for the other ranks, but not where an exception ends this one: they may not come.
  void close(ncclComm_t with) const {
    if (with == nullptr || failed_) return;
    if (std::uncaught_exceptions() > 0) {
      static_cast<void>(ncclCommAbort(with));
      return;
    }
    try {
      begun(ncclCommFinalize(with), with);
      settle(with);
      begun(ncclCommDestroy(with), nullptr);
    } catch (...) {
      static_cast<void>(ncclCommAbort(with));
    }
  }

  Communicator& ranks_;
  int rank_, size_;
  PARALLAX_RUNTIME(Stream_t) stream_ = nullptr;
  ncclComm_t world_ = nullptr;
  std::map<std::tuple<int, int, int>, ncclComm_t> groups_;
  bool failed_ = false;
};

}  // namespace
}  // namespace parallax::bindings

extern "C" parallax::bindings::DeviceCommunicator* parallax_open_device_communicator(
    parallax::bindings::Communicator& ranks, int device) {
  return new parallax::bindings::Nccl(ranks, device);
}
