// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "exercise/exercise.hpp"
#include "exercise/raw_elements.hpp"

namespace parallax::raw {

/// Where a View's elements are: number k, counted row by row, is
/// k / columns * row + k % columns * column numbers behind the first.
struct Order {
  std::size_t columns = 1, row = 1, column = 0;
};

/// An output of a row that runs in `space`. `in_its_memory`: the numbers are where that space
/// computes. Its functions keep `owner`, whose memory it is.
Output output(std::string name, const Numbers& numbers, const Order& order,
              const std::string& space, bool in_its_memory,
              const std::shared_ptr<const void>& owner);

}  // namespace parallax::raw
