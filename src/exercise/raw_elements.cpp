// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#include "exercise/raw_elements.hpp"

#include <Kokkos_Core.hpp>
#include <functional>
#include <limits>
#include <map>

#include "device/split_mix64.hpp"
#include "platform/device/spaces.hpp"

namespace parallax::raw {
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
  Kokkos::parallel_reduce("parallax::raw::hash",
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
  Kokkos::parallel_for("parallax::raw::shift",
                       Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
                           0, static_cast<std::int64_t>(count)),
                       Shift<T>{static_cast<T*>(begin)});
  Kokkos::fence("parallax::raw::shift");
}

template <class Word>
struct Fill {
  Word* words;
  Word word;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { words[i] = word; }
};

template <class Space, class Word>
void fill_with(Word word, void* begin, std::size_t count) {
  Kokkos::parallel_for("parallax::raw::fill",
                       Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(
                           0, static_cast<std::int64_t>(count)),
                       Fill<Word>{static_cast<Word*>(begin), word});
  Kokkos::fence("parallax::raw::fill");
}

/// What a space does to its memory.
struct Worker {
  std::function<void(const void*, void*, std::size_t)> read;
  std::function<void(void*, const void*, std::size_t)> write;
  std::function<std::uint64_t(const void*, std::size_t)> hash;
  std::function<void(const Numbers&)> shift, poison;
};

template <class Space>
Worker worker_of() {
  using Where = typename Space::memory_space;
  using Bytes = Kokkos::View<unsigned char*, Where, Kokkos::MemoryUnmanaged>;
  using ConstBytes = Kokkos::View<const unsigned char*, Where, Kokkos::MemoryUnmanaged>;
  using Host = Kokkos::View<unsigned char*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  using ConstHost = Kokkos::View<const unsigned char*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  const auto bytes_at = [](const void* p) { return static_cast<const unsigned char*>(p); };
  return {.read =
              [=](const void* from, void* to, std::size_t bytes) {
                Kokkos::deep_copy(Host(static_cast<unsigned char*>(to), bytes),
                                  ConstBytes(bytes_at(from), bytes));
              },
          .write =
              [=](void* to, const void* from, std::size_t bytes) {
                Kokkos::deep_copy(Bytes(static_cast<unsigned char*>(to), bytes),
                                  ConstHost(bytes_at(from), bytes));
              },
          .hash =
              [](const void* begin, std::size_t bytes) {
                // In words as wide as they can be: mixing them is what a host's cores are busy
                // with.
                const auto address = reinterpret_cast<std::uintptr_t>(begin);
                const auto fits = [&](std::size_t size) { return (address | bytes) % size == 0; };
                if (fits(8))
                  return hash_of<Space>(static_cast<const std::uint64_t*>(begin), bytes / 8);
                if (fits(4))
                  return hash_of<Space>(static_cast<const std::uint32_t*>(begin), bytes / 4);
                return hash_of<Space>(static_cast<const unsigned char*>(begin), bytes);
              },
          .shift =
              [](const Numbers& x) {
                by_type(x, [&]<class T>(T) { shift_of<Space, T>(x.begin, x.count); });
              },
          .poison =
              [](const Numbers& x) {
                Kokkos::fence("parallax::raw::poison");
                by_type(x, [&]<class T>(T) {
                  constexpr T value =
                      std::is_floating_point_v<T> ? std::numeric_limits<T>::quiet_NaN() : T(-1);
                  fill_with<Space>(value, x.begin, x.count);
                });
              }};
}

/// By the names of spaces, and of memories: a memory is the last space's that computes there, of
/// the host's the one with all cores.
const Worker& worker(const std::string& name) {
  static const auto all = [] {
    std::map<std::string, Worker> made;
    for_each_built_in_space([&]<class Space>() {
      made[Space::name()] = made[Space::memory_space::name()] = worker_of<Space>();
    });
    return made;
  }();
  return all.at(name);
}

}  // namespace

void read(const std::string& memory, const void* from, void* to, std::size_t bytes) {
  worker(memory).read(from, to, bytes);
}
std::vector<unsigned char> read(const std::string& memory, const void* from, std::size_t bytes) {
  std::vector<unsigned char> found(bytes);
  read(memory, from, found.data(), bytes);
  return found;
}
void write(const std::string& memory, void* to, const void* from, std::size_t bytes) {
  worker(memory).write(to, from, bytes);
}
std::uint64_t hash(const std::string& memory, const void* begin, std::size_t bytes) {
  return worker(memory).hash(begin, bytes);
}
void shift(const Numbers& numbers) { worker(numbers.memory).shift(numbers); }
void poison(const std::string& space, const Numbers& numbers) { worker(space).poison(numbers); }

}  // namespace parallax::raw
