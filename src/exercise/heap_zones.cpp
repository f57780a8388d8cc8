// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/heap_zones.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <new>

#include "platform/device/view_label.hpp"
#include "platform/host/memory.hpp"

namespace parallax::guard_zones {
namespace {

std::atomic<int> lives{0};  // HeapZones

/// Blocks with zones: where each begins, and its bytes.
struct Blocks {
  std::mutex mutex;
  std::map<unsigned char*, std::size_t> all;
  std::string complaint;  ///< about those that were freed
};
/// Never destroyed: static objects may free memory after it would be.
Blocks& blocks() {
  static auto& only = *new Blocks;
  return only;
}

/// How many blocks with zones a place may hold: any other block is freed without a lock.
std::atomic<std::uint32_t>& count_near(const void* block) {
  static std::array<std::atomic<std::uint32_t>, 4096> counts{};
  return counts[reinterpret_cast<std::uintptr_t>(block) / 64 % counts.size()];
}

void fill_zones(unsigned char* begin, std::size_t bytes) {
  std::memcpy(begin - zone, pattern().data(), zone);
  std::memcpy(begin + bytes, pattern().data(), zone);
}

std::string touched_of(const unsigned char* begin, std::size_t bytes) {
  const auto untouched = [](const unsigned char* at) {
    return std::memcmp(at, pattern().data(), zone) == 0;
  };
  if (untouched(begin - zone) && untouched(begin + bytes)) return "";
  const auto label = label_of(begin, bytes);
  const auto before = touched(begin - zone, label, false);
  return before.empty() ? touched(begin + bytes, label, true) : before;
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  const bool zones =
      lives.load(std::memory_order_relaxed) > 0 && alignment <= zone && bytes < SIZE_MAX - 2 * zone;
  void* block = nullptr;
  if (posix_memalign(&block, std::max(alignment, sizeof(void*)),
                     std::max<std::size_t>(bytes, 1) + (zones ? 2 * zone : 0)) != 0)
    return nullptr;
  prefer_huge_pages(block, bytes);
  if (!zones) return block;
  auto* const begin = static_cast<unsigned char*>(block) + zone;
  try {
    auto& known = blocks();
    const std::lock_guard lock(known.mutex);
    known.all.emplace(begin, bytes);
  } catch (const std::exception&) {
    std::free(block);
    return nullptr;
  }
  ++count_near(begin);
  fill_zones(begin, bytes);
  return begin;
}

void free_block(void* block) {
  if (block == nullptr || count_near(block).load(std::memory_order_relaxed) == 0)
    return std::free(block);
  auto* const begin = static_cast<unsigned char*>(block);
  {
    auto& known = blocks();
    const std::lock_guard lock(known.mutex);
    const auto found = known.all.find(begin);
    if (found == known.all.end()) return std::free(block);
    if (lives.load(std::memory_order_relaxed) > 0 && known.complaint.empty())
      known.complaint = touched_of(begin, found->second);
    known.all.erase(found);
  }
  --count_near(begin);
  std::free(begin - zone);
}

}  // namespace

const std::array<unsigned char, zone>& pattern() {
  static const auto filled = [] {
    std::array<unsigned char, zone> bytes{};
    for (std::size_t i = 0; i < zone; ++i) bytes[i] = i / 16 % 3 == 1 ? 0xff : 0x42;
    return bytes;
  }();
  return filled;
}

std::string touched(const unsigned char* zone_begin, const std::string& label, bool after) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < zone; ++i) count += zone_begin[i] != pattern()[i] ? 1 : 0;
  if (count == 0) return "";
  return "it wrote " + std::to_string(count) + (count == 1 ? " byte " : " bytes ") +
         (after ? "after the end" : "before the beginning") + " of '" + label + "'";
}

HeapZones::HeapZones() { ++lives; }
HeapZones::~HeapZones() { --lives; }

void HeapZones::fill() {
  auto& known = blocks();
  const std::lock_guard lock(known.mutex);
  known.complaint.clear();
  for (const auto& [begin, bytes] : known.all) fill_zones(begin, bytes);
}

std::string HeapZones::complaint() {
  auto& known = blocks();
  const std::lock_guard lock(known.mutex);
  if (!known.complaint.empty()) return known.complaint;
  for (const auto& [begin, bytes] : known.all)
    if (auto said = touched_of(begin, bytes); !said.empty()) return said;
  return "";
}

}  // namespace parallax::guard_zones

#if !PARALLAX_SANITIZED
// Not in a file for nvcc, which takes operator delete for a function of the device as well. The C++
// library's other aligned forms of delete call the first. Inlined, new and free would look
// mismatched to the compiler.
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment,
                                     const std::nothrow_t&) noexcept {
  return parallax::guard_zones::allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* block, std::align_val_t) noexcept {
  parallax::guard_zones::free_block(block);
}
[[gnu::noinline]] void operator delete(void* block, std::align_val_t,
                                       const std::nothrow_t&) noexcept {
  parallax::guard_zones::free_block(block);
}
#endif
