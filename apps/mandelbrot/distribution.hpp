// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// mandelbrot on several ranks: who computes which rows. Rows through the set cost most, and lie
// side by side:
//
//   static       neighbouring rows, as many on each rank: what a division says. One rank gets the
//                costly ones, and all wait for it
//   interleaved  rank r of R has rows r, r + R, r + 2 R, ...: each has its share of the costly
//                ones, and nothing is sent
//   dynamic      blocks of neighbouring rows, taken from a counter of all ranks by whoever is free.
//                That needs no pattern in the costs, and evens out slow ranks as well; each block
//                costs a message to rank 0 and back, and any rank may get any row
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "device/tuning.hpp"
#include "harness/ranks.hpp"
#include "mandelbrot/lesson.hpp"

namespace parallax::distribution {

/// What a rank computes.
struct Computed {
  std::vector<int> here;            ///< the picture's row of each row of its pixels; -1: none
  std::vector<std::int64_t> times;  ///< how often it computes each row of the picture
};

/// As the window says, `rows` of them.
template <class T>
Computed rows_of(const kernels::Window<T>& window, int rows) {
  Computed computed{{}, std::vector<std::int64_t>(static_cast<std::size_t>(window.rows))};
  for (int i = 0; i < rows; ++i) {
    computed.here.push_back(window.first_row + i * window.stride);
    ++computed.times[static_cast<std::size_t>(computed.here.back())];
  }
  return computed;
}

/// This rank's rows are as many as a division gives it.
template <class T>
kernels::Window<T> interleaved(kernels::Window<T> window) {
  window.first_row = ranks::rank();
  window.stride = ranks::size();
  return window;
}

/// Rows of a block: on a host a tile's of `mdrange`. A GPU has far more threads to keep busy, and
/// for it a block is a launch.
template <class Space>
constexpr int block_rows = kernels::is_host_space<Space> ? 16 : 64;

/// `pixels` has room for all rows. While a device computes a block this rank asks for the next: the
/// answer costs no time, and a rank takes a block at most one block too early. A host computes
/// first and then asks.
template <class Space, class T, class Pixels>
void dynamic_blocks(const Space& space, kernels::Window<T> window, int max_iterations,
                    const Pixels& pixels, Computed& computed) {
  std::fill(computed.here.begin(), computed.here.end(), -1);
  std::fill(computed.times.begin(), computed.times.end(), 0);
  const auto first_row_of_next = [] { return ranks::take_next() * block_rows<Space>; };
  for (auto first = first_row_of_next(); first < window.rows;) {
    window.first_row = static_cast<int>(first);
    const int end = std::min(window.first_row + block_rows<Space>, window.rows);
    kernels::mandelbrot_mdrange(
        space, window, max_iterations,
        Kokkos::subview(pixels, std::pair(window.first_row, end), Kokkos::ALL));
    for (int row = window.first_row; row < end; ++row) {
      computed.here[static_cast<std::size_t>(row)] = row;
      ++computed.times[static_cast<std::size_t>(row)];
    }
    first = first_row_of_next();
    space.fence("parallax::mandelbrot::dynamic_blocks");
  }
}

}  // namespace parallax::distribution
