// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Arrays of random numbers, made where they are needed: each Philox block fills its own few
// elements, so element i depends only on (seed, i). Traffic: one write of the array.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

#include "device/pack.hpp"
#include "device/tuning.hpp"
#include "random/distributions.hpp"

namespace parallax::random {

/// Blocks that one iteration computes side by side: SIMD lanes on a host; on a device enough to
/// share the cost of an index, and twice as many where they share the coefficients of polynomials.
/// Neighbouring iterations of a device take neighbouring blocks, so that their stores fill whole
/// lines.
template <class Space>
inline constexpr int fill_lanes = kernels::is_host_space<Space> ? 16 : 8;
template <class Space>
inline constexpr int normal_lanes = kernels::is_host_space<Space> ? 16 : 8;
template <class Space>
inline constexpr std::int64_t fill_stride = kernels::is_host_space<Space> ? 1 : 32;

/// The numbers of `Lanes` blocks: from all of them at once by draw(blocks, values), or from one
/// after the other by draw(blocks, lane, values[lane]).
template <class T, int Lanes, class Draw>
KOKKOS_FORCEINLINE_FUNCTION void draw_blocks(const Draw& draw, const Blocks<Lanes>& blocks,
                                             T (&values)[Lanes][per_block<T>]) {
  if constexpr (std::is_invocable_v<const Draw&, const Blocks<Lanes>&, T(&)[Lanes][per_block<T>]>) {
    draw(blocks, values);
  } else {
    for (int l = 0; l < Lanes; ++l) draw(blocks, l, values[l]);
  }
}

/// The body of fill_blocks: iteration i makes `lanes` blocks. A type and not a lambda, as all
/// bodies here: several files use them, and nvcc keeps a lambda's pointers separately in each
/// object file, where the linker keeps only one file's functions.
template <int lanes, class Space, class T, class Draw>
struct FillBlocks {
  static constexpr int width = per_block<T>;
  static constexpr std::int64_t stride = fill_stride<Space>;
  using Wide = kernels::Pack<T, width>;
  T* data;
  std::int64_t n, before, first_block;
  std::uint64_t seed;
  bool aligned;
  Draw draw;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t first = i / stride * stride * lanes + i % stride;
    const auto blocks =
        philox_blocks<lanes>(seed, static_cast<std::uint64_t>(first_block + first), 0, stride);
    T values[lanes][width];
    draw_blocks<T>(draw, blocks, values);
    if (aligned && (first + (lanes - 1) * stride + 1) * width <= n) {  // one wide store a block
      for (int l = 0; l < lanes; ++l) {
        Wide wide;
        for (int k = 0; k < width; ++k) wide.value[k] = values[l][k];
        *reinterpret_cast<Wide*>(data + (first + l * stride) * width) = wide;
      }
    } else {
      for (int l = 0; l < lanes; ++l) {
        for (int k = 0; k < width; ++k) {
          const std::int64_t at = (first + l * stride) * width + k - before;
          if (at >= 0 && at < n) data[at] = values[l][k];
        }
      }
    }
  }
};

/// Fills the contiguous rank-1 view `out` with the numbers from `begin` on; `draw`, as draw_blocks
/// takes it, makes the per_block<T> numbers of each of `lanes` blocks.
template <int lanes, class Space, class Out, class Draw>
void fill_blocks(const Space& space, const std::string& label, const Out& out, std::uint64_t seed,
                 std::int64_t begin, const Draw& draw) {
  using T = typename Out::non_const_value_type;
  static_assert(Out::rank == 1 && !std::is_same_v<typename Out::array_layout, Kokkos::LayoutStride>,
                "Random numbers fill contiguous arrays of rank 1.");
  constexpr int width = per_block<T>;
  constexpr std::int64_t stride = fill_stride<Space>;
  using Wide = kernels::Pack<T, width>;
  T* const data = out.data();
  const auto n = static_cast<std::int64_t>(out.extent(0));
  // The first block may have begun before.
  const std::int64_t before = begin % width, first_block = begin / width;
  const bool aligned = before == 0 && reinterpret_cast<std::uintptr_t>(data) % alignof(Wide) == 0;
  constexpr std::int64_t batch = width * lanes * stride;  // elements of `stride` iterations
  Kokkos::parallel_for(
      label,
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>, Kokkos::LaunchBounds<256, 2>>(
          space, 0, n > 0 ? (n + before + batch - 1) / batch * stride : 0),
      FillBlocks<lanes, Space, T, Draw>{data, n, before, first_block, seed, aligned, draw});
}

// What a block's numbers are.

/// Each number is made of separate bits, by of_bits(bits).
template <class T, int lanes, class F>
struct DrawEach {
  F of_bits;
  KOKKOS_FUNCTION void operator()(const Blocks<lanes>& blocks, int lane,
                                  T (&values)[per_block<T>]) const {
    for (int k = 0; k < per_block<T>; ++k) values[k] = of_bits(block_bits<T>(blocks, k, lane));
  }
};

/// The bits themselves.
struct AsTheyAre {
  template <class Bits>
  KOKKOS_FUNCTION Bits operator()(Bits bits) const {
    return bits;
  }
};

template <class T, int lanes>
struct DrawNormal {
  T mean, sigma;
  KOKKOS_FUNCTION void operator()(const Blocks<lanes>& blocks,
                                  T (&values)[lanes][per_block<T>]) const {
    block_normals(blocks, values);
    for (int l = 0; l < lanes; ++l)
      for (int k = 0; k < per_block<T>; ++k) values[l][k] = Kokkos::fma(values[l][k], sigma, mean);
  }
};

/// Fills `out` with uniform draws on [low, high): those from number `begin` on, here and below.
template <class Space, class Out>
void fill_uniform(const Space& space, const Out& out, typename Out::non_const_value_type low,
                  typename Out::non_const_value_type high, std::uint64_t seed,
                  std::int64_t begin = 0) {
  using T = typename Out::non_const_value_type;
  constexpr int lanes = fill_lanes<Space>;
  fill_blocks<lanes>(space, "parallax::random::fill_uniform", out, seed, begin,
                     DrawEach<T, lanes, Uniform<T>>{Uniform<T>(low, high)});
}

/// Fills `out` with normal draws of mean `mean` and standard deviation `sigma`.
template <class Space, class Out>
void fill_normal(const Space& space, const Out& out, typename Out::non_const_value_type mean,
                 typename Out::non_const_value_type sigma, std::uint64_t seed,
                 std::int64_t begin = 0) {
  using T = typename Out::non_const_value_type;
  constexpr int lanes = normal_lanes<Space>;
  fill_blocks<lanes>(space, "parallax::random::fill_normal", out, seed, begin,
                     DrawNormal<T, lanes>{mean, sigma});
}

/// Fills an array of unsigned integers with random bits.
template <class Space, class Out>
void fill_bits(const Space& space, const Out& out, std::uint64_t seed, std::int64_t begin = 0) {
  using T = typename Out::non_const_value_type;
  constexpr int lanes = fill_lanes<Space>;
  fill_blocks<lanes>(space, "parallax::random::fill_bits", out, seed, begin,
                     DrawEach<T, lanes, AsTheyAre>{});
}

}  // namespace parallax::random
