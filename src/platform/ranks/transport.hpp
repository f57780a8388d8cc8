// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "platform/ranks/communicator.hpp"

namespace parallax {

/// How arrays in the memory of one execution space go from rank to rank (--transport):
///
///   host       MPI reads and writes them: they are in the host's memory
///   gpu_aware  the same, of an MPI that can reach a device's memory
///   staged     by way of pinned host memory, in pieces: one is copied while another is sent
///   nccl       by NCCL or RCCL, from device to device
///
/// All functions are called by all ranks in the same order (`exchange` by those concerned). They
/// take their turn among what is launched on the space's default instance: they send what it has
/// computed by then, and what is launched afterwards finds what they received. The host may go on
/// before. `meanwhile`, where there is one, launches what runs while messages are under way: it
/// writes nothing that they send, and touches nothing that they receive.
class Transport {
 public:
  Transport() = default;
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  /// The library besides MPI that sends: "NCCL 2.28.9".
  [[nodiscard]] virtual std::string library() const { return ""; }
  using Meanwhile = std::function<void()>;
  /// In place, over all ranks.
  virtual void sum(void* numbers, std::size_t count, bindings::Number number) = 0;
  /// Sends `bytes` to one rank and receives `bytes` from one; -1: to or from none.
  virtual void exchange(const void* from, int destination, void* to, int source, std::size_t bytes,
                        const Meanwhile& meanwhile) = 0;
  /// Called by all ranks before any sends within a group (platform/ranks/communicator.hpp).
  virtual void join(const bindings::Group& group) = 0;
  /// In place, from the `root`th rank of a group to its others.
  virtual void broadcast(void* data, std::size_t bytes, int root, const bindings::Group& group,
                         const Meanwhile& meanwhile) = 0;
  /// Numbers of `bytes` (4 or 8) each: part `send`[r] of `from` goes to rank r, and what comes from
  /// it is part `receive`[r] of `to`.
  virtual void all_to_all(const void* from, const bindings::Parts& send, void* to,
                          const bindings::Parts& receive, std::size_t bytes,
                          const Meanwhile& meanwhile) = 0;
};

}  // namespace parallax
