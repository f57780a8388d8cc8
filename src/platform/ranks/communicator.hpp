// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

/// The processes that run one program together, its ranks, and what they send each other. Written
/// for MPI (mpi.cpp), a separate library that is loaded where a launcher started several ranks:
/// a program needs no MPI, and one program takes the MPI that is there.
namespace parallax::bindings {

enum class Number { i64, f32, f64 };
template <class T>
constexpr Number number_of() {
  static_assert(
      std::is_same_v<T, std::int64_t> || std::is_same_v<T, float> || std::is_same_v<T, double>,
      "ranks add and compare int64_t, float and double");
  if constexpr (std::is_same_v<T, std::int64_t>) return Number::i64;
  return sizeof(T) == 4 ? Number::f32 : Number::f64;
}
enum class Reduction { sum, max };

/// Ranks that are equally far apart, from `first` on.
struct Group {
  int first = 0, stride = 1, size = 1;
};

/// Numbers of an array that go to one rank, or come from one.
struct Part {
  std::int64_t begin = 0, count = 0;
};
using Parts = std::vector<Part>;  ///< for each rank

/// All functions but `take_next` and `abort` are called by all ranks in the same order. Memory is
/// the host's, or a device's where the library can reach that.
class Communicator {
 public:
  Communicator() = default;
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Among the ranks of this host.
  [[nodiscard]] virtual int local_rank() const = 0;
  [[nodiscard]] virtual int local_size() const = 0;
  /// "Open MPI v5.0.7, ..."
  [[nodiscard]] virtual std::string library() const = 0;
  /// Whether it says so itself.
  [[nodiscard]] virtual bool refuses_device_memory() const = 0;

  /// Called now and then while this rank waits for others, with the seconds of this wait: ends the
  /// processes of all ranks when it takes longer than `patience`. By any thread.
  std::function<void(double)> while_waiting;
  double patience = 300;

  /// In place. The result is the same on all ranks.
  virtual void all_reduce(void* numbers, std::size_t count, Number number, Reduction how) = 0;
  /// `bytes` of each rank, in the order of the ranks.
  virtual void all_gather(const void* from, void* to, std::size_t bytes) = 0;
  /// Numbers of `bytes` (4 or 8) each: part `send`[r] of `from` goes to rank r, and what comes from
  /// it is part `receive`[r] of `to`.
  virtual void all_to_all_parts(const void* from, const Parts& send, void* to, const Parts& receive,
                                std::size_t bytes) = 0;
  /// Sends to one rank and receives from one; a partner that is no rank (-1) is left out. Called by
  /// those concerned.
  virtual void exchange(const void* from, int destination, void* to, int source,
                        std::size_t bytes) = 0;
  /// Called by all ranks, each with its own group, before any sends within a group. All groups have
  /// one size and one stride.
  virtual void join(const Group& group) = 0;
  /// In place, from one rank of a group, the `root`th, to its others: all ranks, or one that was
  /// joined.
  virtual void broadcast(void* data, std::size_t bytes, int root, const Group& group) = 0;

  /// Sets the one counter of all ranks, which is in rank 0's memory, to 0.
  virtual void restart_counter() = 0;
  /// Adds 1 to the counter and returns what it was. One-sided: called by any rank, at any time
  /// between two calls of restart_counter(), without the others.
  virtual std::int64_t take_next() = 0;

  /// Waits until all ranks are done, and returns the largest of their numbers. Uses messages apart
  /// from all others, so that a rank may wait here while another still waits elsewhere.
  virtual std::int64_t meet(std::int64_t number) = 0;
  /// Leaves MPI, after all have met.
  virtual void finalize() = 0;
  /// Ends all ranks' processes.
  [[noreturn]] virtual void abort(int status) = 0;
};

/// What the library of an MPI exports, by this name. Called once.
using OpenCommunicator = Communicator*(int* argc, char*** argv);
inline constexpr const char* open_communicator = "parallax_open_communicator";

}  // namespace parallax::bindings
