// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// What the harness does to arrays by their addresses, and where their memory is: compiled once a
/// space, and not for each type of View. Memories and spaces have Kokkos's names. Needs none of
/// Kokkos's headers.
namespace parallax::raw {

/// `count` numbers of `size` bytes: 4 or 8, of integers also 1 or 2.
struct Numbers {
  std::string memory;
  void* begin;
  std::size_t count, size;
  bool floating, is_signed;
};

/// From there to the host, and back.
void read(const std::string& memory, const void* from, void* to, std::size_t bytes);
std::vector<unsigned char> read(const std::string& memory, const void* from, std::size_t bytes);
void write(const std::string& memory, void* to, const void* from, std::size_t bytes);

/// Computed there, each word with its place: a sum, so that the order in which threads add does not
/// matter.
std::uint64_t hash(const std::string& memory, const void* begin, std::size_t bytes);

/// Changes each number by 1 or more, and to a finite one. Fences.
void shift(const Numbers& numbers);

/// Sets each number to NaN, integers to -1, by the threads of a space: pages belong to those who
/// first write them. Fences.
void poison(const std::string& space, const Numbers& numbers);

/// Calls f(T()), with the type of the numbers; integers as if they had no sign.
// NOLINTBEGIN(bugprone-branch-clone): the branches differ by the type
template <class F>
void by_type(const Numbers& x, const F& f) {
  if (x.floating)
    x.size == 4 ? f(float()) : f(double());
  else if (x.size == 1)
    f(std::uint8_t());
  else if (x.size == 2)
    f(std::uint16_t());
  else if (x.size == 4)
    f(std::uint32_t());
  else
    f(std::uint64_t());
}
// NOLINTEND(bugprone-branch-clone)

}  // namespace parallax::raw
