// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exercise/heap_zones.hpp"

/// What a row may not touch: the bytes on both sides of each array, and the arrays that it only
/// reads. A check of the outputs sees neither. Needs none of Kokkos's headers.
namespace parallax::guard_zones {

/// The arrays of a plan: `data::allocate` and `data::input` enter them while the plan is made.
struct Array {
  std::string label, memory;          ///< `memory`: the name of Kokkos's memory space
  std::shared_ptr<const void> owner;  ///< a View, which keeps the memory
  std::function<bool()> in_use;       ///< whether another View does, too
  unsigned char* begin = nullptr;     ///< of the elements
  std::size_t bytes = 0;
  bool input = false;  ///< constant in rows whose output it is not
  /// Its hash after the last run that left it alone; unknown after any other.
  mutable std::optional<std::uint64_t> hash{};
};
using Arrays = std::vector<Array>;

/// Collects the arrays of one plan, from its construction on; one at a time.
class Recording {
 public:
  Recording();
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  /// Those that are still in use.
  std::shared_ptr<const Arrays> arrays();

 private:
  HeapZones workspaces_;
};
/// Whether a plan is being made.
bool recording();
/// Both do nothing outside a recording.
void add(Array array);
void mark_input(const void* begin);

/// Guards one run of a row: construct it before the run, ask for the complaint after a fence.
class Guard {
 public:
  /// `outputs`: where the first elements of the row's outputs are. `arrays` may be null: none are
  /// known.
  Guard(std::shared_ptr<const Arrays> arrays, const std::vector<const void*>& outputs);
  /// "" or what the row touched: "it wrote 4 bytes after the end of 'c'".
  [[nodiscard]] std::string complaint() const;

 private:
  struct Hashed {
    const Array* array;
    std::uint64_t hash;
  };
  std::shared_ptr<const Arrays> arrays_;
  std::vector<Hashed> inputs_;
  HeapZones temporaries_;
};

}  // namespace parallax::guard_zones
