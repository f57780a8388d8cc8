// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bindings/communicator.hpp"

namespace parallax {

/// How arrays in the memory of one execution space go from rank to rank (--transport):
///
///   host       MPI reads and writes them: they are in the host's memory
///   gpu_aware  the same, of an MPI that can reach a device's memory
///   staged     by way of pinned host memory, in pieces: one is copied while another is sent
///   nccl       by NCCL or RCCL, from device to device
///
/// All functions are called by all ranks in the same order (`exchange` by those concerned) when
/// what they send is complete; when they return, what they receive is there. They throw
/// ranks::Failure as the functions of ranks.hpp do.
class Transport {
 public:
  Transport() = default;
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  /// The library besides MPI that sends: "NCCL 2.28.9".
  [[nodiscard]] virtual std::string library() const { return ""; }
  /// In place, over all ranks.
  virtual void sum(void* numbers, std::size_t count, bindings::Number number) = 0;
  /// Sends `bytes` to one rank and receives equally many from one; -1: to or from none. Calls
  /// `meanwhile` as soon as `from` and `to` are left alone by what it launches.
  virtual void exchange(const void* from, int destination, void* to, int source, std::size_t bytes,
                        const std::function<void()>& meanwhile) = 0;
  /// In place, from the `root`th rank of a group to its others.
  virtual void broadcast(void* data, std::size_t bytes, int root, const bindings::Group& group) = 0;
  /// Numbers of `bytes` (4 or 8) each: `send`[r] of them to rank r, one rank's after the other's,
  /// and `receive`[r] from it.
  virtual void all_to_all(const void* from, const std::vector<std::int64_t>& send, void* to,
                          const std::vector<std::int64_t>& receive, std::size_t bytes) = 0;
};

/// How all the messages of this run go. Of several ranks; all call all of it in the same order.
namespace transport {

/// auto, gpu_aware, staged or nccl. Throws UsageError for another word.
void set_wanted(const std::string& name);

/// Finds a way for each space named, tries it with real messages and keeps it. Throws MachineError
/// where the one that was asked for cannot be taken, UsageError where it makes no sense. Kokkos is
/// initialised.
void choose(const std::vector<std::string>& spaces);

/// A space's transport: for the exercises.
Transport& of(const std::string& space);

/// One way to send the arrays of a space.
struct Way {
  std::string space, name;
  std::string refusal{};  ///< why it cannot be taken; "" where it can
  std::string by{};       ///< the library besides MPI
  Transport* transport = nullptr;
};
/// What was chosen, and why not another: "staged" and "gpu_aware: Open MPI says ...".
struct Choice {
  Way way;
  std::vector<Way> refused;  ///< by `auto`, in this order
};
const Choice& chosen(const std::string& space);
/// All ways of a space, tried: for `parallax info`.
std::vector<Way> all(const std::string& space);

/// "staged", "nccl by NCCL 2.28.9", "gpu_aware: refused, MPI says ..."
std::string described(const Way& way);

/// `bytes` of a space's memory.
std::shared_ptr<void> room(const std::string& space, std::size_t bytes);

}  // namespace transport
}  // namespace parallax
