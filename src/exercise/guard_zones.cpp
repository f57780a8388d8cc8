// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/guard_zones.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

#include "device/split_mix64.hpp"
#include "platform/device/spaces.hpp"

namespace parallax::guard_zones {
namespace {

/// A sum, so that the order in which threads add does not matter; each word is mixed with its place
/// first.
template <class Word>
struct Hash {
  const Word* words;
  KOKKOS_FUNCTION void operator()(std::int64_t k, std::uint64_t& sum) const {
    sum += split_mix64(words[k], static_cast<std::uint64_t>(k));
  }
};

template <class Space, class Word>
std::uint64_t hash_of(const Word* words, std::size_t count) {
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce("parallax::guard_zones::hash",
                          Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
                              0, static_cast<std::int64_t>(count)),
                          Hash<Word>{words}, sum);
  return sum;
}

template <class T>
struct Shift {
  T* x;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if constexpr (std::is_floating_point_v<T>)
      x[i] = Kokkos::isfinite(x[i]) ? x[i] / 2 + 1 + Kokkos::abs(x[i]) : T(1);
    else
      x[i] = static_cast<T>(x[i] + 1);
  }
};

template <class Space, class T>
void shift_of(void* begin, std::size_t count) {
  Kokkos::parallel_for("parallax::guard_zones::shift",
                       Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
                           0, static_cast<std::int64_t>(count)),
                       Shift<T>{static_cast<T*>(begin)});
  Kokkos::fence("parallax::guard_zones::shift");
}

/// What is done to bytes of one memory space, in the space that computes there.
struct Memory {
  std::function<void(unsigned char*)> fill;  ///< a zone
  std::function<std::vector<unsigned char>(const unsigned char*)> read;
  std::function<std::uint64_t(const unsigned char*, std::size_t)> hash;
  std::function<void(void*, std::size_t, std::size_t, bool)> shift;
};

template <class Space>
Memory memory_of() {
  using Where = typename Space::memory_space;
  using Zone = Kokkos::View<unsigned char*, Where, Kokkos::MemoryUnmanaged>;
  using ConstZone = Kokkos::View<const unsigned char*, Where, Kokkos::MemoryUnmanaged>;
  using Pattern = Kokkos::View<const unsigned char*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  return {.fill =
              [](unsigned char* begin) {
                Kokkos::deep_copy(Zone(begin, zone), Pattern(pattern().data(), zone));
              },
          .read =
              [](const unsigned char* begin) {
                const auto h = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{},
                                                                   ConstZone(begin, zone));
                return std::vector<unsigned char>(h.data(), h.data() + zone);
              },
          .hash =
              [](const unsigned char* begin, std::size_t bytes) {
                // In words as wide as they can be: mixing them is what a host's cores are busy
                // with.
                const auto address = reinterpret_cast<std::uintptr_t>(begin);
                const auto fits = [&](std::size_t size) { return (address | bytes) % size == 0; };
                if (fits(8))
                  return hash_of<Space>(reinterpret_cast<const std::uint64_t*>(begin), bytes / 8);
                if (fits(4))
                  return hash_of<Space>(reinterpret_cast<const std::uint32_t*>(begin), bytes / 4);
                return hash_of<Space>(begin, bytes);
              },
          .shift =
              [](void* begin, std::size_t count, std::size_t size, bool floating) {
                if (floating)
                  (size == 4 ? shift_of<Space, float> : shift_of<Space, double>)(begin, count);
                else
                  (size == 1   ? shift_of<Space, std::uint8_t>
                   : size == 2 ? shift_of<Space, std::uint16_t>
                   : size == 4 ? shift_of<Space, std::uint32_t>
                               : shift_of<Space, std::uint64_t>)(begin, count);
              }};
}

const Memory& memory(const std::string& name) {
  static const auto all = [] {
    std::map<std::string, Memory> made;
    // The last space of a memory wins: of the host's, the one with all cores.
    for_each_built_in_space([&]<class Space>() {
      made.insert_or_assign(Space::memory_space::name(), memory_of<Space>());
    });
    return made;
  }();
  return all.at(name);
}

bool is_recording = false;
Arrays recorded;

const unsigned char* after(const Array& a) { return a.begin + a.bytes; }

bool is_output(const Array& a, const std::vector<const void*>& outputs) {
  return std::any_of(outputs.begin(), outputs.end(),
                     [&](const void* at) { return at >= a.begin && at < after(a); });
}

std::string touched_beside(const Array& a, const unsigned char* begin, bool after) {
  return touched(memory(a.memory).read(begin).data(), a.label, after);
}

}  // namespace

Recording::Recording() {
  recorded.clear();
  is_recording = true;
}
Recording::~Recording() {
  recorded.clear();  // or Views would outlive Kokkos
  is_recording = false;
}
std::shared_ptr<const Arrays> Recording::arrays() {
  std::erase_if(recorded, [](const Array& a) { return !a.in_use(); });
  return std::make_shared<const Arrays>(std::exchange(recorded, {}));
}

bool recording() { return is_recording; }

void add(Array array) {
  if (is_recording) recorded.push_back(std::move(array));
}

void mark_input(const void* begin) {
  for (auto& a : recorded) a.input = a.input || a.begin == begin;
}

std::uint64_t hash(const std::string& memory_name, const void* begin, std::size_t bytes) {
  return memory(memory_name).hash(static_cast<const unsigned char*>(begin), bytes);
}

void shift(const std::string& memory_name, void* begin, std::size_t count, std::size_t size,
           bool floating) {
  memory(memory_name).shift(begin, count, size, floating);
}

Guard::Guard(std::shared_ptr<const Arrays> arrays, const std::vector<const void*>& outputs)
    : arrays_(std::move(arrays)) {
  if (!arrays_) return;
  for (const auto& a : *arrays_) {
    memory(a.memory).fill(a.begin - zone);
    memory(a.memory).fill(a.begin + a.bytes);
    const auto known = std::exchange(a.hash, std::nullopt);
    if (a.input && !is_output(a, outputs))
      inputs_.push_back({&a, known ? *known : hash(a.memory, a.begin, a.bytes)});
  }
  HeapZones::fill();
  Kokkos::fence("parallax::guard_zones");
}

std::string Guard::complaint() const {
  if (!arrays_) return "";
  for (const auto& a : *arrays_)
    for (const auto& said :
         {touched_beside(a, a.begin - zone, false), touched_beside(a, after(a), true)})
      if (!said.empty()) return said;
  for (const auto& [array, before] : inputs_) {
    if (hash(array->memory, array->begin, array->bytes) != before)
      return "it changed its input '" + array->label + "'";
    array->hash = before;
  }
  return HeapZones::complaint();
}

}  // namespace parallax::guard_zones
