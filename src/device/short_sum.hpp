// SPDX-FileCopyrightText: The Parallax developers
// SPDX-License-Identifier: Apache-2.0
//
// Sums of a few numbers each. A CPU guesses wrong where a short list ends, and a wrong guess takes
// as long as ten additions. So eight numbers are read at a time, and what is beyond the end is
// masked: no branch depends on the length of a list of up to eight. Compilers make branches of a
// condition for each number, so here is a binding to the processor's instructions: x86 has them,
// and elsewhere it is a plain loop.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace parallax::bindings {

/// How many numbers behind the last `short_sum` may read.
inline constexpr int read_beyond = 8;

#if defined(__SSE2__)
/// The sum of `count` numbers from `from` on.
inline float short_sum(const float* from, int count) {
  const auto eight = [](const float* x, int left) {
    const __m128i all = _mm_set1_epi32(left);
    const auto four = [all](const float* y, __m128i places) {
      return _mm_and_ps(_mm_loadu_ps(y), _mm_castsi128_ps(_mm_cmpgt_epi32(all, places)));
    };
    return _mm_add_ps(four(x, _mm_setr_epi32(0, 1, 2, 3)), four(x + 4, _mm_setr_epi32(4, 5, 6, 7)));
  };
  __m128 sum = eight(from, count);
  for (int k = 8; k < count; k += 8) sum = _mm_add_ps(sum, eight(from + k, count - k));
  sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
  return _mm_cvtss_f32(_mm_add_ss(sum, _mm_shuffle_ps(sum, sum, 1)));
}
inline double short_sum(const double* from, int count) {
  const auto eight = [](const double* x, int left) {
    const __m128i all = _mm_set1_epi32(left);
    const auto two = [=](int at) {
      const __m128i places = _mm_setr_epi32(at, at, at + 1, at + 1);
      return _mm_and_pd(_mm_loadu_pd(x + at), _mm_castsi128_pd(_mm_cmpgt_epi32(all, places)));
    };
    return _mm_add_pd(_mm_add_pd(two(0), two(2)), _mm_add_pd(two(4), two(6)));
  };
  __m128d sum = eight(from, count);
  for (int k = 8; k < count; k += 8) sum = _mm_add_pd(sum, eight(from + k, count - k));
  return _mm_cvtsd_f64(_mm_add_sd(sum, _mm_unpackhi_pd(sum, sum)));
}
#else
template <class T>
T short_sum(const T* from, int count) {
  T sum = 0;
  for (int k = 0; k < count; ++k) sum += from[k];
  return sum;
}
#endif

}  // namespace parallax::bindings
