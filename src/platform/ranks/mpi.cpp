// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// The communicator by MPI: libparallax_mpi.so, the only file that MPI is compiled into. Any MPI of
// version 3 will do.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "platform/ranks/communicator.hpp"

namespace parallax::bindings {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int checked_count(std::size_t count) {
  if (count > INT_MAX)
    throw std::length_error("more than 2^31 - 1 numbers in one message between ranks");
  return static_cast<int>(count);
}

MPI_Datatype type_of(Number number) {
  switch (number) {
    case Number::i64: return MPI_INT64_T;
    case Number::f32: return MPI_FLOAT;
    case Number::f64: break;
  }
  return MPI_DOUBLE;
}

/// Parts of an array as MPI wants them said.
struct Said {
  std::vector<int> counts, begins;
  explicit Said(const Parts& parts) {
    for (const auto& part : parts) {
      begins.push_back(checked_count(static_cast<std::size_t>(part.begin)));
      counts.push_back(checked_count(static_cast<std::size_t>(part.count)));
    }
  }
};

class Mpi final : public Communicator {
 public:
  Mpi() {
    MPI_Comm_dup(MPI_COMM_WORLD, &work_);
    MPI_Comm_dup(MPI_COMM_WORLD, &end_);
    MPI_Comm_rank(work_, &rank_);
    MPI_Comm_size(work_, &size_);
    // By the hosts' names: which ranks can share memory, as MPI_COMM_TYPE_SHARED has it, depends on
    // how an MPI was set up (MPICH 5.0 says that none can, where it finds no topology).
    std::vector<char> name(256), names(name.size() * static_cast<std::size_t>(size_));
    gethostname(name.data(), name.size() - 1);
    all_gather(name.data(), names.data(), name.size());
    local_size_ = 0;
    for (int r = 0; r < size_; ++r) {
      if (std::strcmp(&names[name.size() * static_cast<std::size_t>(r)], name.data()) != 0)
        continue;
      if (r < rank_) ++local_rank_;
      ++local_size_;
    }
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] int local_rank() const override { return local_rank_; }
  [[nodiscard]] int local_size() const override { return local_size_; }

  [[nodiscard]] std::string library() const override {
    char name[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(name, &length);
    // "Open MPI v5.0.7, package: ...", "MPICH Version:      4.3.0\n..."
    std::string text = name;
    text.resize(std::min({text.size(), text.find('\n'), text.find(',')}));
    std::string words;
    for (const char c : text)
      if (c != '\t' && (c != ' ' || words.back() != ' ')) words += c;
    return words;
  }

  /// By the functions of Open MPI and of MPICH's family, where this library has them.
  [[nodiscard]] bool refuses_device_memory() const override {
    bool answered = false;
    for (const char* const name : {"MPIX_Query_cuda_support", "MPIX_Query_rocm_support"})
      if (void* const query = dlsym(RTLD_DEFAULT, name)) {
        answered = true;
        if (reinterpret_cast<int (*)()>(query)() != 0) return false;
      }
    if (answered) return true;
    void* const query = dlsym(RTLD_DEFAULT, "MPIX_GPU_query_support");
    if (query == nullptr) return false;
    for (int kind = 0; kind < 3; ++kind) {  // CUDA, Level Zero, HIP
      int supported = 0;
      reinterpret_cast<int (*)(int, int*)>(query)(kind, &supported);
      if (supported != 0) return false;
    }
    return true;
  }

  void all_reduce(void* numbers, std::size_t count, Number number, Reduction how) override {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(MPI_IN_PLACE, numbers, checked_count(count), type_of(number),
                   how == Reduction::sum ? MPI_SUM : MPI_MAX, work_, &request);
    wait(request);
  }

  void all_gather(const void* from, void* to, std::size_t bytes) override {
    const int count = checked_count(bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgather(from, count, MPI_BYTE, to, count, MPI_BYTE, work_, &request);
    wait(request);
  }

  void all_to_all_parts(const void* from, const Parts& send, void* to, const Parts& receive,
                        std::size_t bytes) override {
    const Said sent(send), received(receive);
    const MPI_Datatype type = bytes == 4 ? MPI_UINT32_T : MPI_UINT64_T;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ialltoallv(from, sent.counts.data(), sent.begins.data(), type, to, received.counts.data(),
                   received.begins.data(), type, work_, &request);
    wait(request);
  }

  void exchange(const void* from, int destination, void* to, int source,
                std::size_t bytes) override {
    const int count = checked_count(bytes);
    MPI_Request sent = MPI_REQUEST_NULL, received = MPI_REQUEST_NULL;
    if (source >= 0) MPI_Irecv(to, count, MPI_BYTE, source, 0, work_, &received);
    if (destination >= 0) MPI_Isend(from, count, MPI_BYTE, destination, 0, work_, &sent);
    wait(received);
    wait(sent);
  }

  void join(const Group& group) override { static_cast<void>(communicator_of(group)); }
  void broadcast(void* data, std::size_t bytes, int root, const Group& group) override {
    const MPI_Comm peers = communicator_of(group);
    constexpr std::size_t most = std::size_t{1} << 30;  // MPI counts in int
    for (std::size_t begin = 0; begin < bytes; begin += most) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Ibcast(static_cast<char*>(data) + begin, checked_count(std::min(most, bytes - begin)),
                 MPI_BYTE, root, peers, &request);
      wait(request);
    }
  }

  void restart_counter() override {
    barrier();  // all have taken what they take
    if (counter_ == MPI_WIN_NULL) {
      const MPI_Aint bytes = rank_ == 0 ? sizeof(std::int64_t) : 0;
      void* memory = nullptr;
      MPI_Win_allocate(bytes, sizeof(std::int64_t), MPI_INFO_NULL, work_,
                       static_cast<void*>(&memory), &counter_);
      MPI_Win_lock_all(MPI_MODE_NOCHECK, counter_);
    }
    if (rank_ == 0) {
      const std::int64_t zero = 0;
      MPI_Accumulate(&zero, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, MPI_REPLACE, counter_);
      MPI_Win_flush(0, counter_);  // by itself: it waits for no other rank
    }
    barrier();
  }

  std::int64_t take_next() override {
    // MPI_Fetch_and_op as a request: MPI_Fetch_and_op itself ends in MPI_Win_flush, a wait that
    // nothing can end.
    const std::int64_t one = 1;
    std::int64_t was = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Rget_accumulate(&one, 1, MPI_INT64_T, &was, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, MPI_SUM,
                        counter_, &request);
    wait(request);
    return was;
  }

  std::int64_t meet(std::int64_t number) override {
    std::int64_t largest = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&number, &largest, 1, MPI_INT64_T, MPI_MAX, end_, &request);
    wait(request);
    return largest;
  }

  void finalize() override {
    if (counter_ != MPI_WIN_NULL) {
      MPI_Win_unlock_all(counter_);
      MPI_Win_free(&counter_);
    }
    MPI_Finalize();
  }

  [[noreturn]] void abort(int status) override {
    MPI_Abort(MPI_COMM_WORLD, status);
    std::abort();
  }

 private:
  void barrier() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(work_, &request);
    wait(request);
  }

  /// Not MPI_Wait, which nothing can end. Others may share this core: gives it away now and then.
  void wait(MPI_Request& request) const {
    const auto start = Clock::now();
    double asked = 0;
    for (int tries = 1;; ++tries) {
      int done = 0;
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) break;
      if (tries % 64 != 0) continue;
      sched_yield();
      const double waited = seconds_since(start);
      if (!while_waiting || waited - asked < 0.01) continue;
      asked = waited;
      while_waiting(waited);
    }
  }

  /// Made once, and kept: an MPI has room for some thousands. Nothing can end MPI_Comm_split, so
  /// all ranks meet before it.
  MPI_Comm communicator_of(const Group& group) {
    const auto [found, is_new] =
        groups_.try_emplace({group.first, group.stride, group.size}, MPI_COMM_NULL);
    if (is_new) {
      barrier();
      MPI_Comm_split(work_, group.first, rank_, &found->second);
    }
    return found->second;
  }

  MPI_Comm work_ = MPI_COMM_NULL, end_ = MPI_COMM_NULL;
  MPI_Win counter_ = MPI_WIN_NULL;  ///< made when it is first restarted
  int rank_ = 0, size_ = 1, local_rank_ = 0, local_size_ = 1;
  std::map<std::tuple<int, int, int>, MPI_Comm> groups_;
};

}  // namespace
}  // namespace parallax::bindings

extern "C" parallax::bindings::Communicator* parallax_open_communicator(int* argc, char*** argv) {
  int provided = 0;
  // Another thread may call abort().
  MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided);
  static const auto communicator = std::make_unique<parallax::bindings::Mpi>();
  return communicator.get();
}
