// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// circle_area's fast kernels: xoroshiro and philox of lesson.hpp, count for count.
//
// Cost of a trial: no memory traffic, but for xoroshiro's states at the ends of a stream.
// xoroshiro: two steps of about 13 operations on 32-bit words, an estimate in single precision, and
// double precision for one dart in a million. Philox: half a block, ten wide products and twenty
// other operations. Integer units are the ceiling.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "circle_area/lesson.hpp"
#include "device/tuning.hpp"
#include "random/philox.hpp"
#include "random/xoroshiro.hpp"

namespace parallax::kernels::circle_area {

/// Streams that one iteration advances side by side: SIMD lanes on a host, one per thread on a
/// device.
template <class Space>
inline constexpr int side_by_side = is_host_space<Space> ? 16 : 1;

/// Is the dart inside? In double precision, from coordinates rounded to float: the course's
/// arithmetic.
KOKKOS_INLINE_FUNCTION bool in_circle(float u, float v) {
  const double x = static_cast<double>(u) * 2 - 1;
  const double y = static_cast<double>(v) * 2 - 1;
  return x * x + y * y < 1;
}

/// How far outside the circle is a dart whose random numbers have these upper halves, in units of
/// 2^-62? An estimate in single precision, off by less than doubtful. Conversions to and from
/// double precision are the slowest thing a trial does, so only darts in doubt, one in a million,
/// pay for them.
KOKKOS_INLINE_FUNCTION float estimate(std::uint32_t a, std::uint32_t b) {
  const float x = static_cast<float>(a) - 0x1p31F,
              y = static_cast<float>(b) - 0x1p31F;  // off by 2^7: an upper half is cut
  return x * x + (y * y - 0x1p62F);                 // and rounded to 24 bits
}
inline constexpr float doubtful = 0x1p62F * 0x1p-20F;

/// Hits of `Lanes` neighbouring streams in `trials` trials each. The states stay in registers, and
/// the loop over lanes becomes SIMD on a host.
template <int Lanes, class States>
KOKKOS_INLINE_FUNCTION std::int64_t hits_of_streams(const States& states, std::int64_t first,
                                                    std::int64_t trials) {
  random::Xoroshiro state[Lanes];
  for (int l = 0; l < Lanes; ++l) state[l] = states(first + l);
  std::int64_t sum = 0;
  for (std::int64_t t = 0; t < trials;) {
    // In stretches of at most 2^20 trials a 32-bit count will do.
    const int stretch = static_cast<int>(Kokkos::min<std::int64_t>(trials - t, 1 << 20));
    int hits[Lanes] = {};
    for (int s = 0; s < stretch; ++s) {
      std::uint64_t a[Lanes], b[Lanes];
      float outside[Lanes];
      int doubt = 0;
      for (int l = 0; l < Lanes; ++l) {
        const std::uint32_t upper = state[l].peek_upper();
        a[l] = state[l].next();
        outside[l] = estimate(upper, state[l].peek_upper());
        b[l] = state[l].next();
        hits[l] += static_cast<int>(Kokkos::bit_cast<std::uint32_t>(outside[l]) >>
                                    31);  // the sign: inside
        doubt |= Kokkos::abs(outside[l]) < doubtful ? 1 : 0;
      }
      if (doubt != 0) {
        for (int l = 0; l < Lanes; ++l) {
          const bool hit = in_circle(random::xoroshiro_f32(a[l]), random::xoroshiro_f32(b[l]));
          hits[l] +=
              (hit ? 1 : 0) - static_cast<int>(Kokkos::bit_cast<std::uint32_t>(outside[l]) >> 31);
        }
      }
    }
    for (int l = 0; l < Lanes; ++l) sum += hits[l];
    t += stretch;
  }
  for (int l = 0; l < Lanes; ++l) states(first + l) = state[l];  // where the next sample goes on
  return sum;
}

/// `xoroshiro_wide`: adds nothing to memory but the count. `states` comes from
/// random::make_xoroshiro_states and is advanced.
template <class Space, class States, class Hits>
void xoroshiro_wide(const Space& space, const States& states, std::int64_t trials,
                    const Hits& hits) {
  constexpr int lanes = side_by_side<Space>;
  const auto streams = static_cast<std::int64_t>(states.extent(0));
  Kokkos::parallel_reduce(
      "parallax::circle_area::xoroshiro_wide",
      Range<Space>(space, 0, (streams + lanes - 1) / lanes),
      KOKKOS_LAMBDA(std::int64_t group, std::int64_t & sum) {
        const std::int64_t first = group * lanes;
        const std::int64_t most = random::trials_of_stream(first, trials, streams);
        // Neighbours with equally many trials go in step; the few groups that straddle an edge go
        // one by one.
        if (first + lanes <= streams &&
            random::trials_of_stream(first + lanes - 1, trials, streams) == most) {
          sum += hits_of_streams<lanes>(states, first, most);
        } else {
          for (std::int64_t i = first; i < first + lanes && i < streams; ++i) {
            sum += hits_of_streams<1>(states, i, random::trials_of_stream(i, trials, streams));
          }
        }
      },
      hits);
}

/// Is (X, Y) / 2^31 inside? Exactly, in 64-bit integers.
KOKKOS_INLINE_FUNCTION int in_circle_exact(std::uint32_t u, std::uint32_t v) {
  const std::int64_t x = static_cast<std::int32_t>(u), y = static_cast<std::int32_t>(v);
  return (x * x - (std::int64_t{1} << 62)) + y * y < 0 ? 1 : 0;  // no step overflows
}

/// `philox_wide`: block b holds trials 2b and 2b + 1. Coordinates are X / 2^31 with X a 32-bit
/// integer, so that the test is exact in integers: X^2 + Y^2 < 2^62.
template <class Space, class Hits>
void philox_wide(const Space& space, std::uint64_t seed, std::int64_t trials, std::int64_t threads,
                 const Hits& hits) {
  constexpr int lanes = side_by_side<Space>;
  const std::int64_t blocks = (trials + 1) / 2;
  Kokkos::parallel_reduce(
      "parallax::circle_area::philox_wide", Range<Space>(space, 0, threads),
      KOKKOS_LAMBDA(std::int64_t thread, std::int64_t & sum) {
        // Thread t takes blocks t * lanes, (t + threads) * lanes, ... in groups of `lanes`.
        for (std::int64_t first = thread * lanes; first < blocks; first += threads * lanes) {
          const auto r = random::philox_blocks<lanes>(seed, static_cast<std::uint64_t>(first));
          int count = 0;
          if (2 * (first + lanes) <= trials) {
            for (int l = 0; l < lanes; ++l) {
              count += in_circle_exact(r.word[0][l], r.word[1][l]) +
                       in_circle_exact(r.word[2][l], r.word[3][l]);
            }
          } else {
            for (int l = 0; l < lanes; ++l) {
              if (2 * (first + l) < trials) count += in_circle_exact(r.word[0][l], r.word[1][l]);
              if (2 * (first + l) + 1 < trials)
                count += in_circle_exact(r.word[2][l], r.word[3][l]);
            }
          }
          sum += count;
        }
      },
      hits);
}

}  // namespace parallax::kernels::circle_area
