// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "platform/host/copiers.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <system_error>

#include "platform/host/affinity.hpp"

namespace parallax {
namespace {

using Clock = std::chrono::steady_clock;

/// Small enough for short waits, and long enough to hide what taking it costs.
constexpr std::size_t piece = std::size_t{128} << 10;
/// How long a thread looks for the next copy before it sleeps: longer than the pause between two
/// pieces of an array.
constexpr std::chrono::microseconds awake{500};

constexpr std::uint64_t left_of(std::uint64_t offer) { return offer & 0xffffffff; }

/// Tells the processor that this thread only waits.
void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Copiers::Copiers(int threads, const ProcessorSet& processors) {
  threads_.reserve(static_cast<std::size_t>(threads));
  try {
    for (int t = 0; t < threads; ++t)
      threads_.emplace_back([this, processors] {
        use_processors(processors);
        work();
      });
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): a limit; fewer will do
  }
}

Copiers::~Copiers() {
  over_ = true;
  publish(0);
  for (auto& thread : threads_) thread.join();
}

void Copiers::copy(void* to, const void* from, std::size_t bytes) {
  to_ = static_cast<std::byte*>(to);
  from_ = static_cast<const std::byte*>(from);
  bytes_ = bytes;
  const auto pieces = static_cast<std::uint32_t>((bytes + piece - 1) / piece);
  copied_ = 0;
  publish(pieces);
  while (take()) {
  }
  while (copied_ < pieces) pause();
}

void Copiers::publish(std::uint32_t pieces) {
  offer_ = ((offer_ >> 32) + 1) << 32 | pieces;
  offer_.notify_all();
}

/// Copies one piece; false where none is left.
bool Copiers::take() {
  auto offer = offer_.load();
  while (left_of(offer) != 0)
    if (offer_.compare_exchange_weak(offer, offer - 1)) {
      const std::size_t at = (left_of(offer) - 1) * piece;
      std::memcpy(to_ + at, from_ + at, std::min(piece, bytes_ - at));
      ++copied_;
      return true;
    }
  return false;
}

void Copiers::work() {
  while (!over_) {
    const auto seen = offer_.load();
    if (take() || left_of(seen) != 0) continue;
    const auto since = Clock::now();
    while (offer_ == seen && Clock::now() - since < awake) pause();
    offer_.wait(seen);
  }
}

std::function<void(void*, const void*, std::size_t)> host_copy() {
  using Host = Kokkos::DefaultHostExecutionSpace;
  static std::weak_ptr<Copiers> in_use;
  auto copiers = in_use.lock();
  if (!copiers) {
    const int threads = Host().concurrency();
    ProcessorSet processors;
    for (auto& own : processors_of_threads<Host>(threads)) processors.merge(own);
    in_use = copiers = std::make_shared<Copiers>(std::min(threads, 16) - 1, processors);
  }
  return
      [copiers](void* to, const void* from, std::size_t bytes) { copiers->copy(to, from, bytes); };
}

}  // namespace parallax
