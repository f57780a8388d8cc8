// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Arrays of random numbers, made where they are needed: each Philox block fills its own few
// elements, so element i depends on (seed, stream, i) alone. Traffic: one write of the array.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

#include "random/distributions.hpp"

namespace parallax::random {

/// Calls `write(block, first, count)` for every block of `n` elements, `count` of them the block's
/// own.
template <class Real, class Space, class Write>
void for_each_block(const Space& space, const std::string& label, std::int64_t n,
                    std::uint64_t seed, std::uint64_t stream, const Write& write) {
  constexpr int width = per_block<Real>;
  Kokkos::parallel_for(
      label,
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(space, 0,
                                                                  (n + width - 1) / width),
      KOKKOS_LAMBDA(std::int64_t b) {
        const std::int64_t first = b * width;
        const int count = n - first < width ? static_cast<int>(n - first) : width;
        write(philox_block(seed, static_cast<std::uint64_t>(b), stream), first, count);
      });
}

/// Fills the rank-1 view `out` with uniform draws on [low, high).
template <class Space, class Out>
void fill_uniform(const Space& space, const Out& out, typename Out::non_const_value_type low,
                  typename Out::non_const_value_type high, std::uint64_t seed,
                  std::uint64_t stream = 0) {
  using Real = typename Out::non_const_value_type;
  const Uniform<Real> uniform(low, high);
  for_each_block<Real>(
      space, "parallax::random::fill_uniform", static_cast<std::int64_t>(out.extent(0)), seed,
      stream, KOKKOS_LAMBDA(const Block& block, std::int64_t first, int count) {
        Real values[per_block<Real>];
        for (int k = 0; k < per_block<Real>; ++k) values[k] = uniform(block_bits<Real>(block, k));
        for (int k = 0; k < per_block<Real>; ++k) {
          if (k < count) out(first + k) = values[k];
        }
      });
}

/// Fills the rank-1 view `out` with normal draws of mean `mean` and standard deviation `sigma`.
template <class Space, class Out>
void fill_normal(const Space& space, const Out& out, typename Out::non_const_value_type mean,
                 typename Out::non_const_value_type sigma, std::uint64_t seed,
                 std::uint64_t stream = 0) {
  using Real = typename Out::non_const_value_type;
  for_each_block<Real>(
      space, "parallax::random::fill_normal", static_cast<std::int64_t>(out.extent(0)), seed,
      stream, KOKKOS_LAMBDA(const Block& block, std::int64_t first, int count) {
        Real values[per_block<Real>];
        block_normals(block, values);
        for (int k = 0; k < per_block<Real>; ++k) {
          if (k < count) out(first + k) = Kokkos::fma(values[k], sigma, mean);
        }
      });
}

}  // namespace parallax::random
