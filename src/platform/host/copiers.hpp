// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "platform/host/processors.hpp"

namespace parallax {

/// Threads that help the caller to copy host memory.
///
/// They are not the threads of Kokkos's host space, which divide a copy evenly and all wait for the
/// last: if another process has one of their cores, a copy takes until the system gives it back, 4
/// ms. These are bound to no core, and whichever is free takes the next piece. On 16 cores of an
/// H100's host, one of them busy, 400 MB were copied to the device in 8 ms instead of 256.
class Copiers {
 public:
  /// `processors`: on which they may run. A new thread is bound to the same core as its maker.
  /// Makes fewer threads where the system allows no more.
  Copiers(int threads, const ProcessorSet& processors);
  ~Copiers();
  Copiers(const Copiers&) = delete;
  Copiers& operator=(const Copiers&) = delete;

  /// memcpy. To be called by one thread at a time.
  void copy(void* to, const void* from, std::size_t bytes);

 private:
  void publish(std::uint32_t pieces);
  bool take();
  void work();

  std::byte* to_ = nullptr;
  const std::byte* from_ = nullptr;
  std::size_t bytes_ = 0;
  /// The upper half is the number of the copy, the lower half the number of its pieces that are not
  /// taken yet: a late thread cannot take a piece of the next copy.
  std::atomic<std::uint64_t> offer_ = 0;
  std::atomic<std::uint32_t> copied_ = 0;
  std::atomic<bool> over_ = false;
  std::vector<std::thread> threads_;
};

/// memcpy by threads, one for each that Kokkos's host space has, 16 at most: a core of a virtual
/// machine copies 5 GB/s, and more do not help the bus. All callers share these threads.
std::function<void(void* to, const void* from, std::size_t bytes)> host_copy();

}  // namespace parallax
