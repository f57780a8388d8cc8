// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// What a sort of uniform_sort is given, whether it sorts the keys of one rank or some of several.
#pragma once

#include <Kokkos_Core.hpp>
#include <functional>
#include <optional>

#include "device/radix_key.hpp"

namespace parallax::uniform_sort {

/// Keys to sort, and arrays to work in.
template <class Space, class T>
struct Unsorted {
  using Keys = kernels::In<Space, T*>;
  Keys keys, second;  ///< as long as each other
  /// If it is long enough, the result may be put into `second`, whatever the number of passes.
  Keys third = {};
  /// Codes that no key is outside of, if they are known.
  std::optional<kernels::RadixRange<T>> range = {};
};

/// Sorts the keys. Returns what holds them: `keys` or `second`.
template <class Space, class T>
using Sorter = std::function<kernels::In<Space, T*>(const Unsorted<Space, T>&)>;

}  // namespace parallax::uniform_sort
